-- Returns what a lock has: the time, then its fields, each with its value. Only the time
-- and one word if there are too many, or if the key has no lock. ARGV: the most fields.

local fields = { string.format('%.0f', clock()) }
local done, size = pcall(ask, 'HLEN', KEYS[1])
if not done and (type(size) ~= 'string' or string.find(size, NO_LOCK, 1, true) ~= 1) then
	error(size, 0)
end
if not done or size > tonumber(ARGV[1]) then
	table.insert(fields, 'unreadable')
	return fields
end
for _, text in ipairs(ask('HGETALL', KEYS[1])) do
	table.insert(fields, text)
end
return fields
