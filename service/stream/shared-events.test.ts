import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock, type Clock } from '../../platform/clock.ts'
import type { Bus } from '../bus/bus.ts'
import { createMemoryBus } from '../bus/memory-bus.ts'
import type { NewEvent, StoredEvent } from '../events/event.ts'
import type { ChangeKind } from '../journal/journal.ts'
import { createPostgresJournal, type SharedJournal } from '../journal/postgres-journal.ts'
import { createTurnLocks } from '../journal/turn-locks.ts'
import { createFanOut } from '../link/fan-out.ts'
import type { Session } from '../link/session.ts'
import { silentLog } from '../log.ts'
import { openPostgresStore, postgresPool, type PostgresPlace } from '../storage/store-postgres.ts'
import type { Store } from '../storage/store.ts'
import { testDatabase } from '../storage/testing/open-store.ts'
import { refuseRows, takeRows } from '../testing/beside.ts'
import { describeOnPostgres } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { createMessagingStream, type MessagingStream } from './stream.ts'
import { message, teamMessage } from './testing/rig.ts'

/** A change of who is in team 5. */
interface Member {
  readonly accid: string
  readonly isIn: boolean
}
interface Node {
  readonly store: Store
  readonly journal: SharedJournal
  readonly stream: MessagingStream
  readonly members: ChangeKind<Member>
  /** Who is in the team here. */
  readonly team: Set<string>
  /** What was handed on here, with the members at its place. */
  readonly handed: { readonly seq: number; readonly text: string; readonly members: readonly string[] }[]
  readonly events: StoredEvent[]
  /** Pushes by account, each with the accounts' sessions named `account@node`. */
  readonly pushes: string[]
}

const textOf = ({ frame }: StoredEvent): string =>
  'body' in frame ? (JSON.parse(frame.body) as { msg: string }).msg : frame.t

describeOnPostgres('services that share a database', () => {
  let number = 0
  let place: PostgresPlace
  let nodes: Node[]
  const add = async (
    options: { readonly bus?: Pick<Bus, 'topic' | 'onBack'>; readonly clock?: Clock } = {},
  ): Promise<Node> => {
    const { bus = createMemoryBus({ log: silentLog }), clock = systemClock } = options
    const store = await openPostgresStore(place)
    const locks = createTurnLocks(await postgresPool(place, 4), place.schema, clock)
    const journal = await createPostgresJournal({ store, locks, bus, clock, log: silentLog })
    const team = new Set<string>()
    const members = journal.kind<Member>('member', {
      async store(transaction, { accid, isIn }) {
        await transaction
          .insertInto('serviceKey')
          .values({ name: `${accid} ${Math.random()}`, key: String(isIn) })
          .execute()
      },
      apply: ({ accid, isIn }) => void (isIn ? team.add(accid) : team.delete(accid)),
    })
    const stream = await createMessagingStream({
      db: store.db,
      clock,
      log: silentLog,
      journal,
      memberships: { membershipsOf: () => [] },
      keep: () => ({ historyDays: 30, roamingDays: 7, offlineDays: 7 }),
    })
    const [handed, events, pushes]: [Node['handed'], StoredEvent[], string[]] = [[], [], []]
    const self = nodes.length
    const sessionsOf = (accid: string): Session[] => [
      {
        id: `${accid}@${self}`,
        uid: 1,
        accid,
        offer: (frame: Buffer, seq: number | undefined) =>
          void pushes.push(`${accid} ${seq} ${frame.subarray(frame.indexOf('{')).toString()}`),
      } as unknown as Session,
    ]
    const deliver = createFanOut(
      { of: (_uid, accid) => sessionsOf(accid) },
      { membersOf: () => team },
      { of: () => () => undefined, on: (_session, preference) => preference },
    )
    stream.on((event) => {
      handed.push({ seq: event.seq, text: textOf(event), members: [...team].sort() })
      events.push(event)
      deliver(event)
    })
    const node = { store, journal, stream, members, team, handed, events, pushes }
    nodes.push(node)
    await journal.start()
    return node
  }
  beforeEach(async () => {
    nodes = []
    place = (await testDatabase(`shared-events ${process.pid} ${++number}`))!
  })
  afterEach(async () => {
    for (const { journal, store } of nodes) {
      await journal.close()
      await store.close()
    }
  })
  /** Never calls back: whoever has it looks for nothing by itself. */
  const still: Clock = { ...systemClock, after: () => () => undefined }
  const member = ({ members }: Node, accid: string, isIn: boolean): NewEvent =>
    teamMessage('ann', 5, `${isIn ? '+' : '-'}${accid}`, {
      extraRecipients: [accid],
      change: () => members.ofEvent({ accid, isIn }),
    })
  const inOrder = async (all: readonly Node[], count: number): Promise<void> => {
    await eventually(() => expect(all.map(({ handed }) => handed.length)).toEqual(all.map(() => count)))
    for (const { handed } of all) expect(handed).toEqual(all[0]!.handed)
  }

  it('hand on the events of all everywhere, once and in one order, each with the members at its place', async () => {
    const all = [await add(), await add(), await add()]
    await Promise.all(
      all.flatMap((node, by) =>
        Array.from({ length: 8 }, async (_, caller) => {
          for (let turn = 0; turn < 20; turn++) {
            const name = `${by}-${caller}`
            const { seq } = await node.stream.publish(
              turn % 4 === 1 ? member(node, name, turn % 8 === 1) : teamMessage('ann', 5, `${name} ${turn}`),
            )
            // Acknowledged after it was handed on here.
            expect(node.handed.at(-1)!.seq).toBeGreaterThanOrEqual(seq)
            if (turn % 5 === 0) await node.members.commit({ accid: `plain ${name}`, isIn: true })
          }
        }),
      ),
    )
    await eventually(() => expect(all.map(({ handed }) => handed.length)).toEqual([480, 480, 480]))
    const ofEvents = all.map(({ handed }) =>
      handed.map(({ seq, text, members }) => ({
        seq,
        text,
        members: members.filter((each) => !each.startsWith('plain')),
      })),
    )
    // Who is in the team by the events alone, in their order.
    const team = new Set<string>()
    for (const { text, members } of ofEvents[0]!) {
      if (text.startsWith('+')) team.add(text.slice(1))
      if (text.startsWith('-')) team.delete(text.slice(1))
      expect(members).toEqual([...team].sort())
    }
    expect(ofEvents[1]).toEqual(ofEvents[0])
    expect(ofEvents[2]).toEqual(ofEvents[0])
    await Promise.all(all.map(({ journal }) => journal.reached(all[0]!.journal.applied())))
    expect(all.map(({ team: { size } }) => size)).toEqual(Array.from({ length: 3 }, () => all[0]!.team.size))
  })

  it('push the same to every account from rows as from memory, but to the session that sent it', async () => {
    const [one, other] = [await add(), await add()]
    await one.stream.publish(member(one, 'cid', true))
    await one.stream.publish(member(one, 'dan', true))
    const notice: NewEvent['frame'] = {
      t: 'notification',
      scene: 'p2p',
      from: 'ann',
      to: 'bob',
      attach: '{}',
      push: true,
      badge: true,
    }
    const none = { history: false, roam: false, offline: false }
    for (const event of [
      message('ann', 'bob', 'plain'),
      message('ann', 'bob', 'unread', { noBadgeFor: ['bob'], idempotencyKey: 'c1' }),
      message('ann', 'bob', 'hidden', { hidden: true }),
      message('ann', 'bob', 'hidden, unsynced', { hidden: true, sync: false }),
      message('ann', 'bob', 'unsynced', { sync: false }),
      message('ann', 'ann', 'to oneself', { sync: false }),
      message('ann', 'bob', 'unkept', { keep: none }),
      message('ann', 'bob', '', { frame: notice, keep: none, sync: false }),
      message('ann', 'bob', '', {
        frame: { t: 'friend', from: 'ann', to: 'bob', type: 1 },
        to: { accids: ['bob', 'ann'] },
        keep: { history: false, roam: true, offline: true },
      }),
      teamMessage('ann', 5, 'team'),
      teamMessage('cid', 5, 'team, unsynced', { sync: false }),
      teamMessage('cid', 5, 'team, hidden', { hidden: true }),
      teamMessage('ann', 5, 'team, unkept', { keep: none }),
      member(one, 'cid', false),
    ])
      await one.stream.publish(event)
    await inOrder([one, other], 16)
    expect(other.pushes).toHaveLength(22)
    expect(other.pushes).toEqual(one.pushes)
    const before = other.pushes.length
    await one.stream.publish(message('ann', 'bob', 'of a session', { origin: 'ann@0' }))
    await inOrder([one, other], 17)
    const accounts = ({ pushes }: Node): string[] => pushes.slice(before).map((push) => push.split(' ')[0]!)
    expect([accounts(one), accounts(other)]).toEqual([['bob'], ['bob', 'ann']])
  })

  it('leave out the session that sent it also where its event is read from the rows', async () => {
    const [one, other] = [await add({ clock: still }), await add()]
    // The next place is not the one after what was handed on here.
    await other.stream.publish(message('bob', 'cid', 'before'))
    await one.stream.publish(message('ann', 'bob', 'of a session', { origin: 'ann@0' }))
    await inOrder([one, other], 2)
    expect(one.pushes.map((push) => push.split(' ')[0])).toEqual(['cid', 'bob', 'bob'])
  })

  it('tell nobody of an event that was not stored, whose place another service has now', async () => {
    const [one, other] = [await add({ clock: still }), await add()]
    await refuseRows(one.store.db, 'journalEntry')
    await expect(one.stream.publish({ ...member(one, 'bob', true), origin: 'bob@0' })).rejects.toThrow(/full/)
    await takeRows(one.store.db, 'journalEntry')
    await other.stream.publish(message('ann', 'bob', 'y'))
    one.journal.look()
    await inOrder([one, other], 1)
    expect(one.pushes).toEqual(other.pushes)
    expect(one.team.size).toBe(0)
  })

  it('tell of a message that was recalled before it was handed on by its recall alone', async () => {
    const [one, other] = [await add(), await add({ clock: still })]
    const seq = 1
    // In one transaction: a look that began at the start would see the message alone.
    await Promise.all([
      one.stream.publish(message('ann', 'bob', 'secret')),
      one.stream.publish(
        message('ann', 'bob', '', {
          frame: { t: 'recall', msgid: seq, scene: 'p2p', from: 'ann', to: 'bob', timetag: 0 },
          inTransaction: async (transaction) => {
            await transaction
              .updateTable('event')
              .set({ recalled: 1, roam: 0, offline: 0 })
              .where('seq', '=', seq)
              .execute()
          },
        }),
      ),
    ])
    expect(one.handed.map(({ text }) => text)).toEqual(['secret', 'recall'])
    other.journal.look()
    await eventually(() => expect(other.handed.map(({ text }) => text)).toEqual(['recall']))
    expect(other.stream.committed()).toBe(2)
  })

  it('make the change of an event whose row is gone, and go on', async () => {
    const [one, other] = [await add(), await add({ clock: still })]
    await one.stream.publish(member(one, 'bob', true))
    await one.stream.publish(teamMessage('ann', 5, 'next'))
    await one.store.db.deleteFrom('event').where('seq', '=', 1).execute()
    other.journal.look()
    await eventually(() => expect(other.handed).toEqual([{ seq: 2, text: 'next', members: ['bob'] }]))
  })

  it('hand on what is more than one read has, with the changes at their places', async () => {
    const [one, other] = [await add(), await add({ clock: still })]
    const events = Array.from({ length: 2500 }, (_, index) =>
      index % 2 === 0 ? teamMessage('ann', 5, String(index)) : member(one, String(index % 7), index % 3 === 0),
    )
    // First, so that the first look has no change of an event.
    await Promise.all(
      Array.from({ length: 1500 }, (_, index) => one.members.commit({ accid: `plain ${index}`, isIn: false })),
    )
    await Promise.all(events.map((event) => one.stream.publish(event)))
    other.journal.look()
    await inOrder([one, other], 2500)
  })

  it('take a repeated message once, and leave its place empty', async () => {
    const [one, other] = [await add(), await add({ clock: still })]
    const event = message('ann', 'bob', 'x', { idempotencyKey: 'c1' })
    const first = await one.stream.publish(event)
    expect(await other.stream.publish(event)).toEqual({ ...first, repeated: true })
    await one.stream.publish(message('ann', 'bob', 'y'))
    other.journal.look()
    await inOrder([one, other], 2)
    expect(other.stream.committed()).toBe(3)
  })

  it('hand on nothing of before their start, and everything after it', async () => {
    const one = await add()
    await one.stream.publish(member(one, 'bob', true))
    const other = await add()
    await one.stream.publish(teamMessage('ann', 5, 'next'))
    await eventually(() => expect(other.handed.map(({ text }) => text)).toEqual(['next']))
  })

  it('change the team in a turn by an event, which is handed on here before the next turn', async () => {
    const [one, other] = [await add(), await add()]
    const seen: number[] = []
    await Promise.all(
      [one, other, one, other].flatMap((node, by) =>
        Array.from({ length: 5 }, (_, index) =>
          node.members.inTurn('team 5', async () => {
            seen.push(node.team.size)
            await node.stream.publish(member(node, `${by} ${index}`, true))
            expect(node.team.size).toBe(seen.at(-1)! + 1)
          }),
        ),
      ),
    )
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index))
  })

  it('refuse a change of a lost turn, also of an event that is stored with others', async () => {
    const [one, other] = [await add(), await add()]
    const inTurn = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const lost = one.members.inTurn('k', async () => {
      inTurn.resolve()
      await goOn.promise
      await one.stream.publish(member(one, 'late', true))
    })
    await inTurn.promise
    const admin = await postgresPool(place, 1)
    await admin.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
    )
    await admin.end()
    await other.members.inTurn('k', () => other.members.commit({ accid: 'meanwhile', isIn: true }))
    const stored = one.stream.publish(message('ann', 'bob', 'of no turn'))
    goOn.resolve()
    await expect(lost).rejects.toThrow('another service has the turn on member k now')
    await stored
    await eventually(() => expect([...one.team]).toEqual(['meanwhile']))
    expect(one.handed.map(({ text }) => text)).toEqual(['of no turn'])
  })

  it("give a device what was missed up to what it names, also where that was another service's", async () => {
    const [one, other] = [await add(), await add({ clock: still })]
    const { seq } = await one.stream.publish(message('ann', 'bob', 'x'))
    const missed = await other.stream.since({ uid: 1, accid: 'bob', after: seq, limit: 10 })
    expect(missed).toEqual({ events: [], seq, more: false })
    expect((await other.stream.since({ uid: 1, accid: 'bob', after: 99, limit: 10 })).seq).toBe(seq)
  })
})
