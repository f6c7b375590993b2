import { local } from '../../contract/operations/index.ts'
import type { MeasureCall } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import { Failure, reasonOf } from '../failure.ts'
import type { IsExtended } from '../profiles/profiles.ts'
import type { ActionLog, Intent, Outcome } from './action-log.ts'
import { maxLine } from './measures.ts'

/** An entry without an outcome; `names` resolves later. */
interface BegunAction {
  readonly id: number
  readonly names: () => Promise<{ readonly operatorName: string; readonly targetName: string }>
}

/** Logs intents and outcomes of actions. */
export type ActionEntries = ReturnType<typeof createActionEntries>

interface ActionEntryPorts {
  readonly actions: Pick<ActionLog, 'begin' | 'end'>
  readonly now: () => number
  readonly client: (profileId: string) => Promise<Client>
  readonly isExtended: IsExtended
  readonly log: (line: string) => void
}

/** Failures that are answers of the service. */
const answered: ReadonlySet<Failure['data']['kind']> = new Set(['code', 'missing', 'changed', 'decided'])

/** Makes the writer. */
export function createActionEntries({ actions, now, client, isExtended, log }: ActionEntryPorts) {
  const namesOf = async (
    profileId: string,
    roomid: number,
    accids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> => {
    // A hosted service counts every call; names are not worth one.
    if (!isExtended(profileId)) return new Map()
    const { list } = (await (await client(profileId)).call(local.roomPeople, { roomid, accids: [...accids] })).ret
    return new Map(list.flatMap(({ accid, nick }) => (nick === '' ? [] : [[accid, nick]])))
  }
  const end = async ({ id, names }: BegunAction, outcome: Outcome): Promise<void> => {
    try {
      actions.end(id, { ...outcome, ...(await names()) })
    } catch (unwritten) {
      // The entry stays without an outcome.
      log(`an entry of the log of actions has no outcome: ${reasonOf(unwritten)}`)
    }
  }

  return {
    /** Names of people in a room, including those gone. */
    namesOf,
    /** Logs an intent before the service is asked. Throws when the disk refuses. */
    begin: (intent: Omit<Intent, 'at'>): BegunAction => {
      const { profileId, roomid, operator, what } = intent
      const id = actions.begin({ ...intent, at: now() })
      const target = 'target' in what ? what.target : ''
      const accids = [...new Set([operator, target])].filter(Boolean)
      const ask = (): Promise<ReadonlyMap<string, string>> => namesOf(profileId, roomid, accids).catch(() => new Map())
      const first = ask()
      const names = async () => {
        let of = await first
        // The invitation may have made the account.
        if (accids.some((accid) => !of.has(accid))) of = new Map([...of, ...(await ask())])
        return { operatorName: of.get(operator) ?? '', targetName: of.get(target) ?? '' }
      }
      return { id, names }
    },
    /** A disk's refusal is only logged. */
    end,
    endFailed: (begun: BegunAction, error: unknown, line: string | null = null) => {
      const { code, kind } = error instanceof Failure ? error.data : { code: null, kind: 'internal' as const }
      return end(begun, { result: 'failed', code, failure: kind, line, detail: reasonOf(error).slice(0, 500) })
    },
    /** The text of the measure's line; null if unknown. A service that did not answer is not asked again. */
    lineOf: async (
      { profileId, roomid, measure, upon }: Pick<MeasureCall, 'profileId' | 'roomid' | 'measure' | 'upon'>,
      refusal?: unknown,
    ): Promise<string | null> => {
      const isAnswered = refusal === undefined || (refusal instanceof Failure && answered.has(refusal.data.kind))
      const msgid = 'msgid' in measure ? measure.msgid : upon
      if (!isExtended(profileId) || msgid === undefined || !('target' in measure) || !isAnswered) return null
      try {
        const { from, attach } = (await (await client(profileId)).call(local.roomLine, { roomid, msgid })).ret
        // Only the target's own line.
        return from === measure.target ? attach.slice(0, maxLine) : null
      } catch (error) {
        if (!(error instanceof Failure)) log(`the text of a line is missing in the log of actions: ${reasonOf(error)}`)
        return null
      }
    },
  }
}
