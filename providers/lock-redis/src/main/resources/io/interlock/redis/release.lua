-- Forgets a contender, and wakes the next ones. Returns 1 if it held the lock.
-- ARGV: contender.

local key, id = KEYS[1], ARGV[1]
local value = redis.call('HGET', key, id)
if not value then
	return 0
end
local now = clock()
local place = parse(value)
redis.call('HDEL', key, id)
if redis.call('HLEN', key) > 1 then
	wake(key, read(key, now))
end
return (place.token > 0 and place.ends > now) and 1 or 0
