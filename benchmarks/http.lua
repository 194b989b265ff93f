-- Random rows of a table of `bsdb serve` for wrk. Arguments: number of rows, what keys begin with, keys per request.
local rows, prefix, batch

function init(arguments)
  rows = tonumber(arguments[1])
  prefix = arguments[2] or ""
  batch = tonumber(arguments[3] or 1)
  math.randomseed(os.time())
end

local function key()
  return prefix .. math.random(0, rows - 1)
end

function request()
  if batch == 1 then
    return wrk.format("GET", wrk.path .. "/rows/" .. key())
  end
  local body = {}
  for i = 1, batch do
    local bytes = key()
    body[i] = string.char(#bytes, 0, 0, 0) .. bytes -- its length, little-endian
  end
  wrk.headers["Content-Type"] = "application/octet-stream"
  return wrk.format("POST", wrk.path .. "/rows:lookup", wrk.headers, table.concat(body))
end
