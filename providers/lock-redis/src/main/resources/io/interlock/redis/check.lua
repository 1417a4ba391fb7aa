-- Does all that locks do, with a field that no other script reads, and leaves nothing. The
-- first write needs memory, so that a server without it refuses. ARGV: field.

local key, id = KEYS[1], ARGV[1]
clock()
ask('HGET', key, id)
redis.call('HGETALL', key)
redis.call('HLEN', key)
redis.call('HSET', key, id, '')
-- Each of these two removes the field if the user may not do the other one.
local kept = redis.pcall('PEXPIRE', key, string.format('%.0f', math.max(redis.call('PTTL', key), 1000)))
local removed = redis.pcall('HDEL', key, id)
for _, answer in ipairs({ kept, removed }) do
	if type(answer) == 'table' and answer.err then
		return answer
	end
end
return 1
