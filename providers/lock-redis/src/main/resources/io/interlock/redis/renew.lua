-- Extends leases that are not over. KEYS[i] is the lock of the contender ARGV[i + 2].
-- Returns 1 or 0 for each. ARGV: lease, time to keep keys beyond it (both in ms).

local lease, unused = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = clock()
local renewed = {}
for i, key in ipairs(KEYS) do
	local id = ARGV[i + 2]
	local value = redis.call('HGET', key, id)
	local place = value and parse(value)
	renewed[i] = 0
	if place and place.ends > now then
		place.ends = now + lease * 1000
		keep(key, lease + unused)
		redis.call('HSET', key, id, format(place))
		renewed[i] = 1
	end
end
return renewed
