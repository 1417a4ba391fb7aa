-- Acquires a lock, or joins the contenders that wait for it. Returns the token, or the
-- greatest token of the holders, below zero.
-- ARGV: contender, mode, permits, channel, instance, lease, time to keep the key
-- beyond it (both in ms), whether it waits, whether it goes first.

local key, id, mode, permits = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local lease, unused = tonumber(ARGV[6]), tonumber(ARGV[7])
local waits, first = ARGV[8] == '1', ARGV[9] == '1'
local now = clock()
local fields = ask('HGETALL', key)

-- The time keeps numbers growing when the key has vanished or the data is lost; the last
-- number does when the clock is put back.
local function follow(last)
	return math.max(last + 1, now)
end

-- A lock without contenders has the last number at the most.
if #fields == 0 or (#fields == 2 and fields[1] == 'last') then
	local number = follow(parseLast(fields[2] or '0'))
	redis.call('HSET', key, id, format({ mode = mode, permits = permits, turn = first and -number or number,
		token = number, ends = now + lease * 1000, channel = ARGV[4], instance = ARGV[5] }),
		'last', string.format('%.0f', number))
	keep(key, lease + unused)
	return number
end

local line = read(fields, now)
local mine = line.places[id]

for _, name in ipairs(line.dead) do
	redis.call('HDEL', key, name)
end

local function store(place, number)
	place.ends = now + lease * 1000
	if line.places[id] then
		keep(key, lease + unused)
	end
	if number then
		redis.call('HSET', key, id, format(place), 'last', string.format('%.0f', number))
	else
		redis.call('HSET', key, id, format(place))
	end
	if not line.places[id] then
		keep(key, lease + unused)
	end
end

-- Nothing that excludes it holds the lock or waits in front.
local function admitted(turn)
	local limit, inFront = permits, 0
	for name, place in pairs(line.places) do
		if name ~= id and (place.token > 0 or place.turn < turn) then
			if mode == 'EXCLUSIVE' or place.mode ~= mode then
				return false
			end
			inFront = inFront + 1
			limit = math.min(limit, place.permits)
		end
	end
	return mode ~= 'PERMIT' or inFront < limit
end

if mine and mine.token > 0 then
	store(mine)
	return mine.token
end

local number = follow(line.last)
local turn = first and -number or number
if admitted(mine and mine.turn or (first and -math.huge or math.huge)) then
	mine = mine or { mode = mode, permits = permits, turn = turn, channel = ARGV[4], instance = ARGV[5] }
	mine.token = number
	store(mine, number)
	return number
end
if mine then
	-- A question of a contender that waits writes nothing while its lease is young.
	if mine.ends - now < lease * 500 then
		store(mine)
	end
elseif waits then
	store({ mode = mode, permits = permits, turn = turn, token = 0, channel = ARGV[4], instance = ARGV[5] }, number)
end
local held = 0
for _, place in pairs(line.places) do
	held = math.max(held, place.token)
end
return -held
