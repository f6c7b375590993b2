import { once, setMaxListeners } from 'node:events'
import { pause } from '../../../bench/measurement.ts'
import type { Attack, Judgement, Target, Tried } from './attack.ts'
import { bursts } from './bursts.ts'
import { speakingCrowd } from './crowd.ts'
import { guestFlood } from './guests.ts'
import { hlsAgents } from './hls-agents.ts'
import { keepAlive } from './keep-alive.ts'
import { mutedSpeech } from './muted-words.ts'
import { pipelinedGets } from './pipelined.ts'
import { silentConnections } from './silent.ts'
import { unusualTimestamps } from './timestamps.ts'
import { guessing } from './tokens.ts'
import { unreadLog } from './unread-log.ts'
import { unreadPings } from './unread-pings.ts'
import { unreadPlayers } from './unread-players.ts'

/** What this process is told once. */
export interface StormOrder {
  readonly target: Target
  /** How long it attacks, in ms. */
  readonly duration: number
  /** Only attacks with this in their name. */
  readonly only: string
}
/** What became of one attack. */
export interface StormOutcome {
  readonly name: string
  readonly tried: Tried
  readonly judgements: readonly Judgement[]
  /** What ended it before its time. */
  readonly fault?: string
}

const attacks: readonly Attack[] = [
  bursts,
  mutedSpeech,
  unusualTimestamps,
  silentConnections,
  unreadPings,
  pipelinedGets,
  hlsAgents,
  keepAlive,
  guestFlood,
  speakingCrowd,
  guessing,
  unreadLog,
  unreadPlayers,
]
/** How long attacks may take to end. */
const grace = 10_000

/** Every attack at once in a process of its own, so that what they cost is not taken for what the product costs; ends by itself in any case. */
const [{ target, duration, only }] = (await once(process, 'message')) as [StormOrder]
setTimeout(() => process.exit(1), duration + 2 * grace).unref()
process.once('disconnect', () => process.exit(1))
const over = AbortSignal.timeout(duration)
// Every connection hears of the end.
setMaxListeners(0, over)
const outcomes = await Promise.all(
  attacks
    .filter(({ name }) => name.includes(only))
    .map(async ({ name, run, judge }): Promise<StormOutcome> => {
      const tried: Tried = {}
      const outcome = (): StormOutcome => ({ name, tried, judgements: judge?.(tried) ?? [] })
      try {
        await Promise.race([run(target, over, tried), pause(duration + grace)])
        return outcome()
      } catch (error) {
        return { ...outcome(), fault: error instanceof Error ? error.message : String(error) }
      }
    }),
)
process.send?.(outcomes, () => process.exit(0))
