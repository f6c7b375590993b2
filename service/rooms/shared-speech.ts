import { speakingLimits } from '../../contract/link/rooms.ts'
import { isLoopbackGroup } from '../../platform/address-group.ts'
import { defineScript, type RedisScripts } from '../redis/redis-scripts.ts'
import type { Speaker, Spoken } from './room-allowance.ts'

/** Longest slow mode in ms: a line is remembered so long, as slow mode may be made longer behind it. */
const longestSlow = 3600 * 1000

/**
 * Says a line: slow mode of the room and what speakers may say, in one step. Keys: the last line of the account in the
 * room, then what account and address have left. Arguments: slow mode in ms (0 for none), id of the line, lines, bytes,
 * how long a last line is kept, then of each of the others burst and refill a second, of lines and of bytes. Answers
 * nothing, or what refuses it (`slow`, `rate`) and the ms to wait. Times are in ms of Redis' clock, which may be set
 * back.
 */
const speak = defineScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local slow, id, lines, bytes = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local isAgain = false
if slow > 0 then
  local last = redis.call('HMGET', KEYS[1], 'at', 'id')
  if last[1] then
    isAgain = last[2] == id
    local age = now - last[1]
    if not isAgain and age >= 0 and age < slow then return {'slow', slow - age} end
  end
end
local wait, left = 0, {}
for i = 2, #KEYS do
  local from = 4 * i - 2
  local burst, refill, byteBurst, byteRefill =
    tonumber(ARGV[from]), tonumber(ARGV[from + 1]), tonumber(ARGV[from + 2]), tonumber(ARGV[from + 3])
  local had = redis.call('HMGET', KEYS[i], 'at', 'lines', 'bytes')
  local age = math.max(0, now - (had[1] or now)) / 1000
  local some = math.min(burst, (had[2] or burst) + age * refill)
  local room = math.min(byteBurst, (had[3] or byteBurst) + age * byteRefill)
  if lines > 0 and some <= 0 then wait = math.max(wait, math.ceil((1 - some) * 1000 / refill)) end
  if room <= 0 then wait = math.max(wait, math.ceil((1 - room) * 1000 / byteRefill)) end
  some, room = some - lines, room - bytes
  left[i] = {some, room, math.ceil(math.max((burst - some) / refill, (byteBurst - room) / byteRefill) * 1000) + 1}
end
if wait > 0 then return {'rate', wait} end
for i = 2, #KEYS do
  redis.call('HSET', KEYS[i], 'at', now, 'lines', tostring(left[i][1]), 'bytes', tostring(left[i][2]))
  redis.call('PEXPIRE', KEYS[i], left[i][3])
end
if slow > 0 and not isAgain then
  redis.call('HSET', KEYS[1], 'at', now, 'id', id)
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
end
return {}`)

/** A line that is to be said in a room. */
export interface SharedLine {
  readonly roomid: number
  readonly uid: number
  readonly accid: string
  readonly clientId: string
  /** Slow mode of the room in s, where it holds for the account; else 0. */
  readonly slow: number
  /** Where the line counts against what speakers may say. */
  readonly spoken?: (Spoken & Pick<Speaker, 'subnet'>) | undefined
}
/** Why a line is not said, and for how long, in s. */
export interface NotSaid {
  readonly because: 'slow' | 'rate'
  readonly seconds: number
}

/** Counts what is said in rooms over all nodes of a cluster. */
export interface SharedSpeech {
  /** Counts a line, or tells why not. Rejects where Redis is away. */
  take(line: SharedLine): Promise<NotSaid | undefined>
}

/** Makes it. */
export const createSharedSpeech = (redis: Pick<RedisScripts, 'run'>): SharedSpeech => ({
  async take({ roomid, uid, accid, clientId, slow, spoken }) {
    const counted = spoken ? [{ key: `speech:account:${uid} ${accid}`, limits: speakingLimits.account }] : []
    // This computer may be a proxy for many clients.
    const more =
      spoken && !isLoopbackGroup(spoken.subnet)
        ? [{ key: `speech:address:${spoken.subnet}`, limits: speakingLimits.address }]
        : []
    const all = [...counted, ...more]
    const [because, ms] = (await redis.run(
      speak,
      [`slow:${roomid} ${accid}`, ...all.map(({ key }) => key)],
      [
        slow * 1000,
        clientId,
        spoken?.lines ?? 0,
        spoken?.bytes ?? 0,
        longestSlow,
        ...all.flatMap(({ limits: { lines, bytes } }) => [
          lines.atOnce,
          lines.perSecond,
          bytes.atOnce,
          bytes.perSecond,
        ]),
      ],
    )) as [NotSaid['because'] | undefined, number]
    return because && { because, seconds: Math.ceil(ms / 1000) }
  },
})
