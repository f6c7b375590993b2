import { answerFault } from '../../contract/validate.ts'
import { local } from '../../contract/operations/index.ts'
import type { Profile } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import { Failure, reasonOf } from '../failure.ts'
import { inBackground } from '../background.ts'
import { doubledWait, type Waits } from '../../platform/backoff.ts'
import type { Clock } from '../../platform/clock.ts'
import { isLoopbackName } from './address.ts'
import { isSamePlace, localProfileId, type Profiles, type Told } from './profiles.ts'

/** Codes of a service that has the operation and could not answer now, or not this caller. */
const untold: ReadonlySet<unknown> = new Set([409, 416, 429, local.info.fault])

/**
 * An address that a service told, if the app may use it: never unencrypted beyond this computer, and none of this
 * computer unless the service is on it.
 */
function usable(text: string | undefined, schemes: readonly string[], liveUrl: string): string | null {
  if (text === undefined || !URL.canParse(text)) return null
  const { protocol, hostname, username, password } = new URL(text)
  if (!schemes.includes(protocol) || username !== '' || password !== '') return null
  const isHere = isLoopbackName(new URL(liveUrl).hostname)
  if (isLoopbackName(hostname)) return isHere ? text : null
  return protocol === 'wss:' || protocol === 'https:' ? text : null
}

/** What a service tells of itself; undefined without the extension operations, `unknown` while it cannot say. */
async function readTold(client: Client, { liveUrl }: Pick<Profile, 'liveUrl'>): Promise<Told | undefined | 'unknown'> {
  let exchange: Awaited<ReturnType<Client['exchange']>>
  try {
    exchange = await client.exchange(local.info, {})
  } catch (error) {
    // Also an answer that is too long is none of ours.
    if (error instanceof Failure && error.data.kind === 'notOurs') return undefined
    return 'unknown'
  }
  const { status, text } = exchange.answer
  // A proxy that misses its service, or limits calls.
  if (status >= 500 || status === 429) return 'unknown'
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) return undefined
  if (untold.has(answer.code)) return 'unknown'
  if (status !== 200 || answer.code !== 200 || answerFault(local.info, answer) !== undefined) return undefined
  const { media, link } = (answer as unknown as { ret: { media?: string; link?: string } }).ret
  return { media: usable(media, ['http:', 'https:'], liveUrl), link: usable(link, ['ws:', 'wss:'], liveUrl) }
}

/** Pauses in ms before the next question, after the second change of what a service told and later ones. */
const pauses: Waits = { first: 1_000, longest: 600_000 }
/** A change after so many ms without one is the first. */
const settledAfter = 1_800_000

/** Questions to the service of a profile. */
interface Asking {
  readonly profile: Profile
  isRunning: boolean
  /** To be asked again when the running question ended. */
  isWanted: boolean
  /** Scheduled after a pause. */
  isWaiting: boolean
  changes: number
  /** In monotonic ms. */
  changedAt: number
}

/** What `createExtensionCheck` makes. */
export type ExtensionCheck = ReturnType<typeof createExtensionCheck>

/** Asks the services of hosted profiles whether they have the extension operations, and has the answers kept. */
export function createExtensionCheck(ports: {
  readonly profiles: Pick<Profiles, 'find' | 'told'>
  readonly client: (profileId: string) => Promise<Client>
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
  readonly log: (line: string) => void
}) {
  const { profiles, clock, log } = ports
  const askings = new Map<string, Asking>()
  /** Undefined for a profile that is gone. */
  const askingOf = (profileId: string): Asking | undefined => {
    let profile: Profile
    try {
      profile = profiles.find(profileId)
    } catch {
      askings.delete(profileId)
      return undefined
    }
    const known = askings.get(profileId)
    if (known && isSamePlace(known.profile, profile)) return known
    const fresh = { profile, isRunning: false, isWanted: false, isWaiting: false, changes: 0, changedAt: 0 }
    askings.set(profileId, fresh)
    return fresh
  }
  const noteChange = (profileId: string): void => {
    const asking = askingOf(profileId)
    if (!asking) return
    const now = clock.monotonic()
    asking.changes = now - asking.changedAt > settledAfter ? 1 : asking.changes + 1
    asking.changedAt = now
  }
  const ask = async (profileId: string): Promise<void> => {
    if (profileId === localProfileId) return
    const profile = profiles.find(profileId)
    const told = await ports.client(profileId).then(
      (client) => readTold(client, profile),
      // Without its secret it cannot be asked.
      (error: unknown) => {
        log(`a service was not asked for its extension operations: ${reasonOf(error)}`)
        return 'unknown' as const
      },
    )
    if (told !== 'unknown' && (await profiles.told(profile, told))) noteChange(profileId)
  }
  const run = async (asking: Asking): Promise<void> => {
    asking.isRunning = true
    try {
      await ask(asking.profile.id)
    } finally {
      asking.isRunning = false
      const isWanted = asking.isWanted
      asking.isWanted = false
      if (isWanted) askSoon(asking.profile.id)
    }
  }
  const askSoon = (profileId: string): void => {
    const asking = askingOf(profileId)
    if (!asking || asking.isWaiting) return
    if (asking.isRunning) {
      asking.isWanted = true
      return
    }
    const pause = asking.changes < 2 ? 0 : doubledWait(pauses, asking.changes - 2)
    const wait = asking.changedAt + pause - clock.monotonic()
    if (pause > 0 && wait > 0) {
      asking.isWaiting = true
      clock.after(wait, () => {
        asking.isWaiting = false
        if (askings.get(profileId) === asking) askSoon(profileId)
      })
      return
    }
    inBackground(run(asking), log, 'keeping whether a service has the extension operations')
  }
  return {
    /** Rejects with Failure `absent` for an unknown profile, or when the answer cannot be kept. */
    ask,
    /**
     * As `ask`, one question at a time for a profile; a failure is logged. A service that tells now this, now that is
     * asked after growing pauses.
     */
    askSoon,
  }
}
