-- Lets a hold go on without its holder: another contender takes its place, for a time.
-- Returns 1 if it has the place. ARGV: contender, the other one, length of its lease, time
-- to keep the key beyond it (both in ms).

local key, id, kept = KEYS[1], ARGV[1], ARGV[2]
local lease, unused = tonumber(ARGV[3]), tonumber(ARGV[4])
local now = clock()

local function holder(name)
	local value = ask('HGET', key, name)
	local place = value and parse(name, value)
	return place and place.token > 0 and place.ends > now and place
end

local place = holder(id)
if not place then
	-- The answer of the request before may have been lost.
	return holder(kept) and 1 or 0
end
place.ends = now + lease * 1000
keep(key, lease + unused)
redis.call('HSET', key, kept, format(place))
redis.call('HDEL', key, id)
return 1
