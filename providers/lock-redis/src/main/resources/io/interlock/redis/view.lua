-- Returns what a lock has: the time, then its fields, each with its value. Only the time
-- and one word if there are too many. ARGV: the most fields.

local fields = { string.format('%.0f', clock()) }
if ask('HLEN', KEYS[1]) > tonumber(ARGV[1]) then
	table.insert(fields, 'many')
	return fields
end
for _, text in ipairs(ask('HGETALL', KEYS[1])) do
	table.insert(fields, text)
end
return fields
