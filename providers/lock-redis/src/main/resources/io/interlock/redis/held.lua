-- Returns 1 if a contender holds the lock. ARGV: contender.

local value = ask('HGET', KEYS[1], ARGV[1])
local place = value and parse(ARGV[1], value)
return (place and place.token > 0 and place.ends > clock()) and 1 or 0
