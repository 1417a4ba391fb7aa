-- Extends leases that are not over. KEYS[i] is the lock of the contender ARGV[i + 2].
-- Returns for each 1 or 0, or what its key has instead of a lock: that of one lock harms
-- no other. ARGV: lease, time to keep keys beyond it (both in ms).

local lease, unused = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = clock()

local function renew(key, id)
	local value = ask('HGET', key, id)
	local place = value and parse(id, value)
	if not place or place.ends <= now then
		return 0
	end
	place.ends = now + lease * 1000
	keep(key, lease + unused)
	redis.call('HSET', key, id, format(place))
	return 1
end

local answers = {}
for i, key in ipairs(KEYS) do
	local done, answer = pcall(renew, key, ARGV[i + 2])
	if not done and (type(answer) ~= 'string' or string.find(answer, NO_LOCK, 1, true) ~= 1) then
		error(answer, 0)
	end
	answers[i] = answer
end
return answers
