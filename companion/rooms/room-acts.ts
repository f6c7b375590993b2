import type { LoggedAction, Measure, MeasureCall, RoomAction } from '../../contract/rpc/index.ts'
import { chatrooms } from '../../contract/operations/index.ts'
import { Failure, reasonOf } from '../failure.ts'
import { createKeyedSerial } from '../../platform/serial.ts'
import { createActRates } from './act-rates.ts'
import type { ActionEntries } from './action-entries.ts'
import type { ActionLog } from './action-log.ts'
import { loggedText } from './action-texts.ts'
import type { HostedRooms } from './hosted-rooms.ts'
import { carryOut, type Done, type Taken, takesBack } from './measures.ts'
import { createModeratorCheck, createReadCheck } from './moderator-check.ts'
import type { PanelSets } from './panel-sets.ts'
import type { RoomDirectory } from './room-directory.ts'
import type { PartPorts } from '../part-ports.ts'

/** Messages and measures in rooms, each logged. Throws Failure. */
export interface RoomActs {
  /** As the creator, or as the moderator `as`. */
  say(profileId: string, roomid: number, text: string, as?: string): Promise<{ msgid: string; at: number }>
  /** Throws unless the account moderates the room. */
  mustModerateToRead(profileId: string, roomid: number, accid: string): Promise<void>
  /** As the creator, or as the moderator `as`, who must be one then. */
  act(call: MeasureCall, as?: string): Promise<{ action: RoomAction; taken: Taken | null; replaced?: number }>
  /** Logs a measure of a revoked moderator as not done. */
  refused(profileId: string, roomid: number, measure: Measure, why: string, as: string): Promise<void>
  /** Logs an action on moderators; `leftOf` returns what is not done yet. */
  record<T>(
    profileId: string,
    roomid: number,
    action: LoggedAction,
    work: () => Promise<T>,
    leftOf?: (value: T) => string,
  ): Promise<T>
}

/** Makes them for all profiles. */
export function createRoomActs(
  ports: Pick<PartPorts, 'clock' | 'random' | 'client' | 'isExtended' | 'log'> & {
    readonly directory: Pick<RoomDirectory, 'creator' | 'creatorAsKnown'>
    readonly panels: Pick<PanelSets, 'find' | 'of'>
    readonly hosted: Pick<HostedRooms, 'said' | 'acted'>
    readonly actions: Pick<ActionLog, 'read' | 'end'>
    readonly entries: ActionEntries
  },
): RoomActs {
  const { clock, client, isExtended, directory, panels, hosted, actions, entries } = ports
  const turns = createKeyedSerial<string>()
  const rates = createActRates(clock)
  /** Not every call names an operator that the service could check. */
  const mustModerate = createModeratorCheck()
  const mustModerateToRead = createReadCheck(mustModerate, () => clock.monotonic())
  const seatOf = (profileId: string, roomid: number, as: string | undefined): string | undefined =>
    as === undefined ? as : `${profileId} ${roomid} ${as}`
  const operatorOf = async (profileId: string, roomid: number, as?: string): Promise<string> =>
    as ?? (await directory.creatorAsKnown(profileId, roomid))

  return {
    mustModerateToRead: async (profileId, roomid, accid) =>
      mustModerateToRead(await client(profileId), isExtended(profileId), { profileId, roomid, accid }),
    say: async (profileId, roomid, text, as) => {
      if (as !== undefined) rates.take(seatOf(profileId, roomid, as), text)
      const msgId = ports.random(16).toString('hex')
      if (as === undefined && isExtended(profileId) && panels.find(profileId, roomid)?.phase === 'inside')
        return panels.of(profileId).say(roomid, text, msgId)
      const fromAccid = as ?? (await directory.creator(profileId, roomid))
      const service = await client(profileId)
      if (as !== undefined) await mustModerate(service, isExtended(profileId), { profileId, roomid, accid: as })
      const { desc } = await service.call(chatrooms.sendMsg, { roomid, msgId, fromAccid, msgType: 0, attach: text })
      const at = Number(desc.time)
      if (isExtended(profileId)) return { msgid: desc.msgid_client, at }
      const said = { roomid, at, from: fromAccid, fromNick: desc.fromNick, attach: text, clientId: msgId }
      return { msgid: hosted.said(profileId, said).msgid, at }
    },
    act: async (call, as) => {
      const { profileId, roomid, measure, why, undoes, shortens = false } = call
      rates.take(seatOf(profileId, roomid, as), [measure, why])
      // An entry undoes only a matching one.
      const undone = undoes === undefined ? undefined : actions.read(profileId, roomid, undoes)
      if (undoes !== undefined && !(undone && takesBack(measure, undone.what)))
        throw new Failure('absent', 'there is no such measure to take back')
      const operator = await operatorOf(profileId, roomid, as)
      const intent = { profileId, roomid, operator, seat: as !== undefined, what: measure, why }
      const begun = entries.begin({ ...intent, undoes: undoes ?? null })
      const target = 'target' in measure ? measure.target : ''
      let done: Done
      try {
        // Queued with its entry, so that log and effect have one order.
        done = await turns(`${profileId} ${roomid} ${target}`, async () => {
          const service = await client(profileId)
          if (as !== undefined) await mustModerate(service, isExtended(profileId), { profileId, roomid, accid: as })
          const asked = {
            roomid,
            operator: operator || (await directory.creator(profileId, roomid)),
            measure,
            why,
            isExtended: isExtended(profileId),
            shortens,
          }
          // Later changes of others are not undone.
          const left =
            undone?.what.kind === 'temporaryMute'
              ? Math.max(0, undone.what.seconds - (clock.now() - undone.at) / 1000)
              : undefined
          return carryOut(service, { ...asked, ...(left !== undefined && { left }) })
        })
      } catch (error) {
        // The page reads the present state.
        if (!isExtended(profileId) && error instanceof Failure && error.data.kind === 'changed')
          hosted.acted(profileId, roomid, operator, measure)
        await entries.endFailed(begun, error, await entries.lineOf(call, error))
        throw error
      }
      const { taken, replaced } = done
      const line = done.line ?? (await entries.lineOf(call))
      const detail = taken ? JSON.stringify({ ...taken, value: loggedText(taken.value) }) : ''
      try {
        if (!isExtended(profileId)) hosted.acted(profileId, roomid, operator, measure)
        return {
          action: actions.end(begun.id, { result: 'done', code: 200, detail, line, ...(await begun.names()) }),
          taken,
          ...(replaced !== undefined && { replaced }),
        }
      } catch (error) {
        // Done but not logged: it must not be repeated.
        throw new Failure('unlogged', `${reasonOf(error)} ${detail}`.trim())
      }
    },
    refused: async (profileId, roomid, measure, why, as) => {
      rates.take(seatOf(profileId, roomid, as), [measure, why])
      const refusal = new Failure('code', `${as} has no seat at this room any more`, { code: 403 })
      const begun = entries.begin({ profileId, roomid, operator: as, seat: true, what: measure, why, undoes: null })
      await entries.endFailed(begun, refusal, await entries.lineOf({ profileId, roomid, measure }, refusal))
    },
    record: async (profileId, roomid, action, work, leftOf) => {
      // Not delayed by the log, even if that fails.
      const [entry, outcome] = await Promise.all([
        operatorOf(profileId, roomid)
          .then((operator) =>
            entries.begin({ profileId, roomid, operator, seat: false, what: action, why: '', undoes: null }),
          )
          .catch((error: unknown) => ports.log(`not in the log of actions: ${action.kind}, ${reasonOf(error)}`)),
        work().then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        ),
      ])
      if ('error' in outcome) {
        if (entry) await entries.endFailed(entry, outcome.error)
        throw outcome.error
      }
      const left = leftOf?.(outcome.value) ?? ''
      if (entry)
        await entries.end(entry, {
          result: left === '' ? 'done' : 'partly',
          code: left === '' ? 200 : null,
          detail: left.slice(0, 500),
        })
      return outcome.value
    },
  }
}
