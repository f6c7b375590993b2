import { implement, type ORPCError } from '@orpc/server'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { rpc, type FailureData, type RoomAction, type RoomPanel, type RoomPush } from '../../contract/rpc/index.ts'
import type { AppEvent } from '../../contract/rpc/events.ts'
import { fakeRoomLists } from './fake-room-lists.ts'
import { fakeMinute, fakeSecond } from './fake-room-media.ts'
import type { Scenario } from './fake-state.ts'

interface FakeParts {
  readonly scenario: Scenario
  readonly began: number
  readonly tell: (event: AppEvent) => void
  readonly failed: (code: number) => ORPCError<'FAILED', unknown>
  readonly cannot: (kind: string, more?: Partial<FailureData>) => ORPCError<'FAILED', unknown>
}
type Said = RoomPush & { t: 'roomMessage' }

const roomid = 3101
const people: readonly (readonly [accid: string, nick: string, type: number])[] = [
  ['ana', 'Ana', 1],
  ['mei', 'Mei', 2],
  ['u_58213', 'jonas_w', 3],
  ['u_1', 'ghost_in_mix', 3],
  ['u_2', 'paolo_r', 3],
  ['u_3', '夜行猫', 3],
  ['u_4', 'kestrel', 3],
  ['u_5', 'free_coins_77', -1],
  ['robot_greeter', 'robot_greeter', 3],
  ['u_6', '小满', 3],
]
const talk: readonly (readonly [accid: string, text: string])[] = [
  ['u_58213', 'what comes after this one?'],
  ['mei', 'Full list is in the announcement above.'],
  ['u_1', 'this is the part I was waiting for'],
  ['u_2', 'the bass on this one is unreal'],
  ['u_3', '第一次进来，这首叫什么？'],
  ['ana', 'It is "Harbour Lights", track 4. List is in the announcement.'],
  ['u_4', 'could you do the long version later? <b>please</b>'],
  ['u_5', 'cheap coins at my page, link in bio'],
  ['u_6', '声音有点小，可以大一点吗'],
  ['mei', 'Volume is going up now, tell us if it clips.'],
  ['u_58213', 'spoiler: they cut the last verse in the studio take because of the tape running out'],
  ['u_3', '谢谢主播！收藏了'],
  ['robot_greeter', 'Call-in queue is open. Type 1 to join.'],
  ['u_2', '1'],
]
/** What entries of the log say besides. */
const known = { failure: null, operatorName: '', targetName: '', line: null }
const nickOf = (accid: string): string => people.find(([one]) => one === accid)?.[1] ?? accid

/** What the room says at first, as history gives it: newest first. */
const history = (began: number, lines: number) =>
  Array.from({ length: lines }, (_, index) => talk[(index + talk.length - (lines % talk.length)) % talk.length]!)
    .map(([from, attach], index) => ({
      msgid: String(index + 1),
      at: began - (lines - index) * (lines > 1_000 ? 400 : 13_000),
      from,
      type: 0,
      attach,
      removed: from === 'u_5',
      nick: nickOf(from),
      clientId: `c${index}`,
    }))
    .toReversed()
const panelOf = (scenario: Scenario): RoomPanel => ({
  profileId: 'local',
  roomid,
  phase: scenario === 'poor' ? 'waiting' : 'inside',
  reason: null,
  accid: 'ana',
  name: 'Late Night Radio · 深夜',
  announcement: 'Track list for tonight is on the show page. Call-in opens at 20:50.',
  muted: false,
  mutedBy: null,
  mutedAt: null,
  slow: 5,
  online: 1284,
  counts: { people: 1282, robots: 2, muted: 3, blacklisted: 1 },
})

/** The same room of a hosted profile: its lines come as copies, or nothing receives them yet. */
const hostedDesk = (scenario: Scenario, profileId: string, began: number): RoomPanel => ({
  ...panelOf(scenario),
  profileId,
  phase: scenario === 'hostedFault' ? 'waiting' : 'inside',
  slow: 0,
  copies: {
    receiver: scenario === 'hostedFault' ? 'off' : 'listening',
    url: scenario === 'hostedFault' ? null : 'http://127.0.0.1:9001/copy',
    lastAt: scenario === 'poor' || scenario === 'hostedFault' ? null : began - 13_000,
    verified: scenario === 'poor' || scenario === 'hostedFault' ? null : false,
    dropped: 0,
    elsewhere: 2,
    readAt: began,
  },
})

/** The procedures of the Room in memory: one room with a talk, a queue, and a log of what was done. */
export function fakeRooms({ scenario, began, tell, failed, cannot }: FakeParts) {
  const { rooms: os, operations } = implement(rpc)
  const empty = scenario === 'empty'
  let panel = panelOf(scenario)
  let queue = empty
    ? []
    : [
        ['ghost_in_mix', 'call-in, first time'],
        ['paolo_r', 'song request'],
        ['夜行猫', 'question'],
      ]
  let next = 100
  const log: RoomAction[] = empty
    ? []
    : [
        {
          id: 1,
          roomid,
          at: began - 80_000,
          operator: 'ana',
          what: { kind: 'removeLine', target: 'u_5', msgid: '8' },
          why: 'advertising',
          undoes: null,
          result: 'done',
          code: 200,
          detail: '',
          ...known,
        },
        {
          id: 2,
          roomid,
          at: began - 77_000,
          operator: 'ana',
          what: { kind: 'temporaryMute', target: 'u_5', seconds: 86_400 },
          why: '',
          undoes: null,
          result: 'done',
          code: 200,
          detail: '',
          ...known,
        },
      ]
  const say = (from: string, attach: string, type = 0): Said => {
    const number = next++
    const push: Said = {
      t: 'roomMessage',
      roomid,
      msgid: String(number),
      at: Date.now() + number,
      from,
      fromNick: nickOf(from),
      fromClientType: 'WEB',
      type,
      attach,
    }
    tell({ type: 'roomPush', profileId: 'local', roomid, push })
    return push
  }
  const lists = fakeRoomLists({ scenario, began, roomid, named: people, failed })
  const called = {
    ...lists.operations,
    chatrooms: {
      ...lists.operations.chatrooms,
      get: operations.chatrooms.get.handler(() => ({
        chatroom: {
          roomid,
          valid: true,
          announcement: panel.announcement,
          name: panel.name,
          broadcasturl: '',
          ext: '',
          creator: 'ana',
          muted: panel.muted,
          onlineusercount: 1284,
        },
      })),
    },
    queue: {
      list: operations.queue.list.handler(() => ({
        desc: { list: queue.map(([key, value]) => ({ [key!]: value! }) as unknown as Record<string, never>) },
      })),
    },
  }
  return {
    operations: called,
    rooms: {
      list: os.list.handler(({ input }) => ({
        complete: input.profileId === 'local',
        next: null,
        rooms: empty ? [] : [{ roomid, name: panel.name, creator: 'ana', valid: true, online: 1284, cid: lists.cid() }],
      })),
      create: os.create.handler(() => {
        if (scenario === 'failing') throw failed(414)
        return { roomid }
      }),
      add: os.add.handler(({ input }) => ({
        roomid: input.roomid,
        name: panel.name,
        creator: 'ana',
        valid: true,
        online: 3,
        cid: null,
      })),
      enter: os.enter.handler(({ input }) => {
        if (input.profileId !== 'local') {
          const hosted = hostedDesk(scenario, input.profileId, began)
          tell({ type: 'room', panel: hosted })
          return hosted
        }
        tell({ type: 'room', panel })
        return panel
      }),
      leave: os.leave.handler(() => undefined),
      panels: os.panels.handler(() => (empty ? [] : [panel])),
      say: os.say.handler(({ input }) => {
        if (scenario === 'failing') throw failed(403)
        return say('ana', input.text)
      }),
      act: os.act.handler(({ input }) => {
        if (scenario === 'failing') throw failed(403)
        const { measure, why, undoes = null } = input
        const { measure: wanted } = input
        if (wanted.kind === 'announce' && wanted.was !== undefined && wanted.was !== panel.announcement)
          throw cannot('changed')
        if (wanted.kind === 'queueAdd' && wanted.fresh === true && queue.some(([key]) => key === wanted.key))
          throw cannot('changed')
        if (
          wanted.kind === 'temporaryMute' &&
          wanted.seconds > 0 &&
          input.shortens !== true &&
          undoes === null &&
          lists.mutedFor(wanted.target) > wanted.seconds
        )
          throw cannot('outlasted', { leftSeconds: lists.mutedFor(wanted.target) })
        const action: RoomAction = {
          id: log.length + 1,
          roomid,
          at: Date.now(),
          operator: 'ana',
          what: measure,
          why,
          undoes,
          result: 'done',
          code: 200,
          detail: '',
          ...known,
        }
        log.push(action)
        lists.apply(measure)
        if (measure.kind === 'muteRoom')
          panel = {
            ...panel,
            muted: measure.on,
            mutedBy: measure.on ? 'ana' : null,
            mutedAt: measure.on ? Date.now() : null,
          }
        if (measure.kind === 'announce') panel = { ...panel, announcement: measure.text }
        if (measure.kind === 'openRoom')
          panel = {
            ...panel,
            phase: measure.on ? 'inside' : 'refused',
            reason: measure.on ? null : reasonOf('link', 'closed'),
          }
        if (measure.kind === 'slowMode') panel = { ...panel, slow: measure.seconds }
        tell({ type: 'room', panel })
        if (measure.kind === 'removeLine')
          tell({
            type: 'roomPush',
            profileId: 'local',
            roomid,
            push: {
              t: 'roomRecall',
              roomid,
              msgid: measure.msgid,
              at: Date.now(),
              from: measure.target,
              clientId: '',
              operator: 'ana',
              ext: why,
            },
          })
        const taken =
          measure.kind === 'queueTake'
            ? queue.find(([key]) => measure.key === undefined || key === measure.key)
            : undefined
        queue = queue.filter((element) => element !== taken)
        if (measure.kind === 'queueAdd') queue = [...queue, [measure.key, measure.value]]
        if (measure.kind === 'queueClear') queue = []
        return { action, taken: taken ? { key: taken[0]!, value: taken[1]! } : null }
      }),
      actions: os.actions.handler(({ input }) =>
        log
          .filter(({ what }) => input.target === undefined || ('target' in what && what.target === input.target))
          .toReversed(),
      ),
      exportActions: os.exportActions.handler(({ input }) => ({
        name: `room-${roomid}-actions.${input.format}`,
        text: JSON.stringify(log),
        next: null,
        dropped: null,
      })),
      ...lists.procedures,
      history: os.history.handler(({ input: { call } }) => {
        if (empty) return { ret: { list: [], more: false } }
        if (call.beginTime)
          return { ret: { list: fakeMinute(scenario === 'diskFull' ? [] : talk, nickOf, call.beginTime), more: false } }
        const all = history(began, scenario === 'many' ? 10_000 : talk.length)
        const rest = all.slice(call.before === undefined ? 0 : all.findIndex(({ msgid }) => msgid === call.before) + 1)
        const found = rest.filter(({ from }) => !call.accid || from === call.accid)
        return { ret: { list: found.slice(0, call.limit), more: found.length > (call.limit ?? 100) } }
      }),
      second: os.second.handler(() => fakeSecond(scenario, began)),
      note: os.note.handler(() => ({ text: '' })),
      setNote: os.setNote.handler(() => undefined),
    },
  }
}

/** What a new subscription begins with for the Room. */
export const roomEvents = (scenario: Scenario): AppEvent[] =>
  scenario === 'empty' || scenario === 'fault' || scenario === 'stopped'
    ? []
    : [{ type: 'room', panel: panelOf(scenario) }]
