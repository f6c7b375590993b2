import path from 'node:path'
import type { Answer, Arguments } from '../../contract/operation.ts'
import type { local } from '../../contract/operations/index.ts'
import { maxLinesBytes } from '../../contract/operations/local.ts'
import { noticeType, readNotice, roomNotices } from '../../contract/catalogue/notices.ts'
import type { Measure, ReceivedCopy, RoomCopies, RoomPanel, RoomPush } from '../../contract/rpc/index.ts'
import { createAnswerPart } from '../../platform/answer-part.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { copiedId, readCopiedLine, type SaidLine } from './copied-line.ts'
import { openCopiedLines } from './copied-lines.ts'
import { createHostedPanels, type ReadRoom } from './hosted-panels.ts'
import type { KnownRoom } from './known-rooms.ts'

/** Rooms of hosted profiles: sessions and received lines. */
export type HostedRooms = ReturnType<typeof openHostedRooms>

/** What it needs. */
export interface HostedRoomPorts {
  readonly dataDir: string
  readonly clock: Clock
  /** Rooms made or added here. */
  readonly known: (profileId: string) => readonly KnownRoom[]
  readonly read: (profileId: string, roomid: number) => Promise<ReadRoom>
  readonly receiver: (profileId: string) => { readonly phase: RoomCopies['receiver']; readonly url: string | null }
  readonly changed: (panel: RoomPanel) => void
  readonly pushed: (profileId: string, roomid: number, push: RoomPush) => void
}

/** Opens DATA/room-copies.db; a damaged one is quarantined. */
export function openHostedRooms(ports: HostedRoomPorts) {
  const { clock } = ports
  const lines = openCopiedLines(path.join(ports.dataDir, 'room-copies.db'))
  const counts = new Map<string, { dropped: number; elsewhere: number }>()
  const panels = createHostedPanels({
    ...ports,
    last: lines.last,
    counts: (profileId) => counts.get(profileId) ?? { dropped: 0, elsewhere: 0 },
  })
  const roomOf = (profileId: string, roomid: number): KnownRoom | undefined =>
    ports.known(profileId).find((room) => room.roomid === roomid)
  const count = (profileId: string, what: 'dropped' | 'elsewhere'): void => {
    const before = counts.get(profileId) ?? { dropped: 0, elsewhere: 0 }
    counts.set(profileId, { ...before, [what]: before[what] + 1 })
    panels.copied(profileId)
  }
  const push = (profileId: string, line: SaidLine): void => {
    if (panels.find(profileId, line.roomid)) ports.pushed(profileId, line.roomid, line)
  }
  const noticed = (profileId: string, { roomid, from, at, attach }: SaidLine): void => {
    const id = readNotice(attach)?.id
    const on = id === roomNotices.roomMuted
    if (on || id === roomNotices.roomUnmuted)
      panels.changed(profileId, roomid, { kind: 'muteRoom', on, by: from, at, sure: false })
    else if (id === roomNotices.closed || id === roomNotices.updated)
      panels.changed(profileId, roomid, { kind: 'other' })
  }

  return {
    /** Throws Failure `absent` for an unknown room. */
    enter: (profileId: string, roomid: number): RoomPanel => {
      const room = roomOf(profileId, roomid)
      if (!room) throw new Failure('absent', 'this room was not added here: a hosted service does not list its rooms')
      return panels.enter(room)
    },
    leave: panels.leave,
    panels: panels.all,
    /** As the embedded service's history, from received lines. */
    history: (
      profileId: string,
      { roomid, accid, beginTime, endTime, before, notices = false, limit = 100 }: Arguments<typeof local.roomHistory>,
    ): Answer<typeof local.roomHistory> => {
      // One more tells whether there are more.
      const part = createAnswerPart<Answer<typeof local.roomHistory>['ret']['list'][number]>({
        entries: limit,
        bytes: maxLinesBytes,
      })
      const filter = { from: accid?.toLowerCase(), begin: beginTime, end: endTime, before, notices }
      const found = lines.list({ profileId, roomid, ...filter, limit: limit + 1 })
      const more = found.some(
        ({ msgid, at, from, type, attach, fromNick, clientId = '' }) =>
          !part.add({ msgid, at, from, type, attach, removed: false, nick: fromNick, clientId }),
      )
      return { ret: { list: part.list, more } }
    },
    /** A line said by the API; its copy is no second line. */
    said: (
      profileId: string,
      {
        clientId,
        ...said
      }: Pick<SaidLine, 'roomid' | 'at' | 'from' | 'fromNick' | 'attach'> & { readonly clientId: string },
    ): SaidLine => {
      const from = said.from.toLowerCase()
      const ids = { from, msgid: copiedId(from, clientId), clientId }
      const line: SaidLine = { t: 'roomMessage', ...said, ...ids, fromClientType: 'REST', type: 0 }
      if (roomOf(profileId, line.roomid) && lines.keep(profileId, line, undefined) === 'new') push(profileId, line)
      return line
    },
    acted: (profileId: string, roomid: number, operator: string, measure: Measure) => {
      const at = clock.now()
      if (measure.kind === 'muteRoom')
        panels.changed(profileId, roomid, { kind: 'muteRoom', on: measure.on, by: operator, at, sure: true })
      else if (measure.kind === 'openRoom' || measure.kind === 'announce' || measure.kind === 'rename')
        panels.changed(profileId, roomid, { kind: 'other' })
    },
    /** On disk when it returns; throws when the disk refuses. */
    copied: (profileId: string, { verdict, fields, at, verified }: ReceivedCopy) => {
      if (verdict !== 'accepted' || fields['eventType'] !== '4') return
      const line = readCopiedLine(fields, at)
      if (!line) return count(profileId, 'dropped')
      if (!roomOf(profileId, line.roomid)) return count(profileId, 'elsewhere')
      const kept = lines.keep(profileId, line, { at, verified })
      if (kept === 'new') {
        push(profileId, line)
        if (line.type === noticeType) noticed(profileId, line)
      }
      panels.copied(profileId, line.roomid)
    },
    receiverChanged: (profileId: string) => panels.copied(profileId),
    forget: (profileId: string) => {
      panels.forget(profileId)
      counts.delete(profileId)
      lines.forget(profileId)
    },
    close: () => {
      panels.end()
      lines.close()
    },
  }
}
