-- Forgets a contender, and wakes the next ones. Returns 1 if it held the lock.
-- ARGV: contender.

local key, id = KEYS[1], ARGV[1]
local value = ask('HGET', key, id)
if not value then
	return 0
end
local now = clock()
local token, ends = string.match(value, '^1 %u+ %d+ %-?%d+ (%d+) (%d+) %S+ ')
if not token then
	refuseField(id)
end
redis.call('HDEL', key, id)
if redis.call('HLEN', key) > 1 then
	-- A field that cannot be read keeps no contender from leaving.
	local readable, line = pcall(read, redis.call('HGETALL', key), now)
	if readable then
		wake(key, line)
	end
end
return (token ~= '0' and tonumber(ends) > now) and 1 or 0
