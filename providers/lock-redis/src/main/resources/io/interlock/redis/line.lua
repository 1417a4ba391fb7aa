-- What the scripts have in common. A lock is one hash: the field 'last' has the number
-- that was given out last, and each contender is a field: the format, which is 1, mode,
-- permits, turn, token (0 while it waits), end of its lease in microseconds, channel,
-- instance. What has another format is refused, and never taken for free.

local function clock()
	local time = redis.call('TIME')
	return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local NO_LOCK = 'no lock: it '

-- Ends a script: the key has something that no script of this format has written.
local function refuse(what)
	error(NO_LOCK .. what, 0)
end

local function refuseField(name)
	refuse('has it in the field ' .. string.gsub(name, '[^%w%-]', '?'))
end

-- Asks for something of a lock.
local function ask(command, key, ...)
	local answer = redis.pcall(command, key, ...)
	if type(answer) ~= 'table' or not answer.err then
		return answer
	end
	if not string.find(answer.err, 'WRONGTYPE', 1, true) then
		error(answer.err, 0)
	end
	local kind = redis.pcall('TYPE', key).ok
	refuse(kind and 'holds a ' .. kind or 'holds no hash')
end

-- A whole number, as exact as numbers are here.
local function number(text)
	local value = string.match(text, '^%-?%d+$') and tonumber(text)
	return value and math.abs(value) < 2 ^ 53 and value
end

local function parseLast(text)
	return number(text) or refuseField('last')
end

local function parse(name, value)
	local mode, permits, turn, token, ends, channel, instance =
			string.match(value, '^1 (%u+) (%d+) (%-?%d+) (%d+) (%d+) (%S+) (.*)$')
	if not mode or not (number(permits) and number(turn) and number(token) and number(ends)) then
		refuseField(name)
	end
	return { mode = mode, permits = tonumber(permits), turn = tonumber(turn), token = tonumber(token),
		ends = tonumber(ends), channel = channel, instance = instance }
end

local function format(place)
	return string.format('1 %s %d %.0f %.0f %.0f %s %s', place.mode, place.permits, place.turn, place.token,
			place.ends, place.channel, place.instance)
end

-- The contenders whose leases run, and the names of the others.
local function read(fields, now)
	local line = { last = 0, places = {}, dead = {} }
	for i = 1, #fields, 2 do
		if fields[i] == 'last' then
			line.last = parseLast(fields[i + 1])
		else
			local place = parse(fields[i], fields[i + 1])
			if place.ends > now then
				line.places[fields[i]] = place
			else
				table.insert(line.dead, fields[i])
			end
		end
	end
	return line
end

-- Never shortens the life of a key: others may have longer leases. A server without
-- memory refuses a script whose first write needs some, and lets the others go on. So a
-- contender that is known keeps its key first, always by a write.
local function keep(key, millis)
	redis.call('PEXPIRE', key, string.format('%.0f', math.max(redis.call('PTTL', key), millis)))
end

-- Tells the instances of the contenders whose turn comes next.
local function wake(key, line)
	local waiting = {}
	for _, place in pairs(line.places) do
		if place.token == 0 then
			table.insert(waiting, place)
		end
	end
	table.sort(waiting, function(one, other) return one.turn < other.turn end)
	local told = {}
	for i, place in ipairs(waiting) do
		if i > 1 and (place.mode == 'EXCLUSIVE' or place.mode ~= waiting[1].mode) then
			return
		end
		if not told[place.channel] then
			told[place.channel] = true
			-- A user without the permission to publish polls.
			redis.pcall('PUBLISH', place.channel, key)
		end
	end
end
