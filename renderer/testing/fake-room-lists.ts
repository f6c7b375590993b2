import { implement, type ORPCError } from '@orpc/server'
import { rpc, type Measure } from '../../contract/rpc/index.ts'
import type { Scenario } from './fake-state.ts'

interface Person {
  readonly accid: string
  readonly nick: string
  type: number
}
const hour = 3_600_000
/** Minutes by which the service's zone, UTC+8, is ahead. */
const ahead = 8 * hour

/** People, measures, held lines and statistics of one room in memory. */
export function fakeRoomLists({
  scenario,
  began,
  roomid,
  named,
  failed,
}: {
  readonly scenario: Scenario
  readonly began: number
  readonly roomid: number
  readonly named: readonly (readonly [accid: string, nick: string, type: number])[]
  readonly failed: (code: number) => ORPCError<'FAILED', unknown>
}) {
  const { rooms: os, operations } = implement(rpc)
  const empty = scenario === 'empty'
  const must = (): void => {
    if (scenario === 'failing') throw failed(501)
  }
  const extra = Array.from({ length: 260 }, (_, index): Person => ({
    accid: `guest_${String(index + 1).padStart(4, '0')}`,
    nick: `Guest ${index + 1}`,
    type: 3,
  }))
  const people: Person[] = [...named.map(([accid, nick, type]) => ({ accid, nick, type })), ...extra]
  const muted = new Map([['u_5', { permanent: false, seconds: 80_000 }]])
  const blacklisted = new Map([['spam_9', began - 9e6]])
  let held = empty
    ? []
    : [
        { msgid: '901', at: began - 95_000, from: 'u_2', type: 0, attach: 'buy cheap coins here', nick: 'paolo_r' },
        { msgid: '902', at: began - 42_000, from: 'u_3', type: 0, attach: '加我微信有优惠', nick: '夜行猫' },
        {
          msgid: '903',
          at: began - 12_000,
          from: 'u_58213',
          type: 0,
          attach: 'coins? no thanks, but where is the <b>playlist</b>',
          nick: 'jonas_w',
        },
      ]
  const noChat = { on: false, roomid: null, people: 0 }
  let isOpen = true
  let linked: string | null = empty ? null : '7e3a91c40123456789abcdef01234567'
  const times = new Map(people.map(({ accid }, index) => [accid, began - index * 41_000]))
  const member = ({ accid, nick, type }: Person) => ({
    roomid,
    accid,
    nick,
    type,
    onlineStat: true,
    ...(type === 3 ? { enterTime: times.get(accid)! } : { updateTime: times.get(accid)! }),
    ...(accid === 'robot_greeter' ? { isRobot: true } : {}),
    ...(muted.get(accid)?.permanent && { muted: true }),
    ...((muted.get(accid)?.seconds ?? 0) > 0 && { tempMuted: true, tempMuteTtl: muted.get(accid)!.seconds }),
  })
  const figures = (start: number, hours: boolean) => {
    const wave = 1 + Math.sin(start / (hours ? 7 * hour : 60 * hour))
    return {
      activeNums: Math.round(210 * wave) + 12,
      enterNums: Math.round(380 * wave) + 20,
      msgs: Math.round(1900 * wave) + 64,
    }
  }
  return {
    cid: (): string | null => linked,
    /** Seconds that are left of the timed mute of somebody. */
    mutedFor: (accid: string): number => muted.get(accid)?.seconds ?? 0,
    /** What a measure does to the lists. */
    apply: (measure: Measure): void => {
      const person = 'target' in measure ? people.find(({ accid }) => accid === measure.target) : undefined
      if (measure.kind === 'decideHeld') held = held.filter(({ msgid }) => msgid !== measure.msgid)
      else if (measure.kind === 'admin' && person) person.type = measure.on ? 2 : 3
      else if (measure.kind === 'ordinary' && person) person.type = measure.on ? 0 : 3
      else if (measure.kind === 'blacklist') {
        blacklisted.delete(measure.target)
        if (measure.on) blacklisted.set(measure.target, Date.now())
      } else if (measure.kind === 'mute' || measure.kind === 'temporaryMute') {
        const before = muted.get(measure.target) ?? { permanent: false, seconds: 0 }
        const now =
          measure.kind === 'mute' ? { ...before, permanent: measure.on } : { ...before, seconds: measure.seconds }
        if (now.permanent || now.seconds > 0) muted.set(measure.target, now)
        else muted.delete(measure.target)
      }
    },
    procedures: {
      linked: os.linked.handler(({ input }) => ({ roomid: linked === input.cid ? roomid : null })),
      chat: os.chat.handler(({ input }) => (linked === input.cid ? { on: isOpen, roomid, people: 12 } : noChat)),
      switchChat: os.switchChat.handler(({ input }) => {
        if (scenario === 'failing') throw failed(617)
        if (input.on) linked = input.cid
        isOpen = input.on
        return { on: input.on, roomid, people: 0 }
      }),
      link: os.link.handler(({ input }) => {
        if (scenario === 'failing') throw failed(617)
        linked = input.roomid === null ? null : input.cid
      }),
    },
    operations: {
      chatrooms: {
        membersByPage: operations.chatrooms.membersByPage.handler(({ input: { call } }) => {
          const all = people.filter(({ type }) => (call.type === 1) === (type === 3)).map(member)
          const from = all.filter(({ accid }) => !call.endtime || times.get(accid)! < call.endtime)
          return { desc: { data: from.slice(0, call.limit) } }
        }),
        queryMembers: operations.chatrooms.queryMembers.handler(({ input: { call } }) => ({
          desc: { data: people.filter(({ accid }) => call.accids.includes(accid)).map(member) },
        })),
      },
      statistics: {
        topn: operations.statistics.topn.handler(({ input: { call } }) => {
          if (scenario === 'failing') throw failed(416)
          if (empty) return { data: [] }
          const at = Number(call.timestamp)
          const step = call.period === 'day' ? 24 * hour : hour
          const start = Math.floor((at + ahead) / step) * step - ahead
          if (start + step > began) return { data: [] }
          const own = figures(start, step === hour)
          const rows = [
            { roomId: roomid, ...own },
            ...[3090, 2204, 3055].map((other, index) => ({
              roomId: other,
              activeNums: Math.round(own.activeNums / (index + 1.7)),
              enterNums: Math.round(own.enterNums / (index + 2.1)),
              msgs: Math.round(own.msgs / (index + 1.4)),
            })),
          ]
          return {
            data: rows.map((row) => ({
              ...row,
              datetime: start / 1000,
              period: call.period === 'day' ? 'DAY' : 'HOUR',
            })),
          }
        }),
      },
      local: {
        muted: operations.local.muted.handler(() => ({
          ret: { more: false, list: empty ? [] : [...muted].map(([accid, mute]) => ({ accid, ...mute })) },
        })),
        blacklisted: operations.local.blacklisted.handler(() => ({
          ret: { more: false, list: empty ? [] : [...blacklisted].map(([accid, at]) => ({ accid, at })) },
        })),
        held: operations.local.held.handler(() => {
          must()
          return { ret: { list: held.toReversed(), more: false } }
        }),
      },
    },
  }
}
