import { afterEach, beforeEach, expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { systemClock, type Clock } from '../../platform/clock.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import { dropForeignKeys, openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { describeOnPostgres } from '../testing/engines.ts'
import { notYet } from './deliveries.ts'
import { createOutcomes } from './outcomes.ts'
import { claimLease, createSharedClaims, type SharedClaims } from './shared-claims.ts'

describeOnPostgres('claims of several processes', () => {
  let number = 0
  let store: Store
  let all: SharedClaims[]
  const add = async (owner: string, clock: Clock = systemClock, kinds = ['copy']): Promise<SharedClaims> => {
    const claims = await createSharedClaims({ db: store.db, owner, kinds, passedSteps: 3, clock, log: silentLog })
    all.push(claims)
    return claims
  }
  beforeEach(async () => {
    all = []
    store = await openStore(`claims ${process.pid} ${++number}`)
    // The rows refer to an application that does not exist.
    await dropForeignKeys(store)
  })
  afterEach(async () => {
    for (const claims of all) await claims.close()
    await store.close()
  })
  const target = 'http://x'
  const insert = (
    nId: string,
    line: string | null = null,
    values: { readonly due?: number; readonly step?: number; readonly kind?: string } = {},
  ) =>
    store.db
      .insertInto('delivery')
      .values({
        nId,
        uid: 1,
        kind: 'copy',
        url: `${target}/`,
        target,
        line,
        body: '{}',
        state: 'waiting',
        attempts: 0,
        step: 0,
        due: line === null ? 0 : notYet,
        created: 1,
        result: null,
        ...values,
      })
      .execute()
  const find = (nId: string) =>
    store.db.selectFrom('delivery').selectAll().where('nId', '=', nId).executeTakeFirstOrThrow()
  const outcomesOf = (claims: SharedClaims) =>
    createOutcomes(
      {
        store,
        kinds: { copy: { resendAfter: [60_000], headers: () => Promise.resolve({}) } },
        clock: systemClock,
        log: silentLog,
      },
      new AbortController().signal,
      claims,
    )
  const failed = { delivered: false, result: reasonOf('delivery', 'fault') } as const
  const named = (rows: readonly { readonly nId: string }[]) => rows.map(({ nId }) => nId).toSorted()

  it('of messages are of one process until they have run out, by the clock of the database', async () => {
    const [a, b] = [await add('a'), await add('b', { ...systemClock, now: () => 1 })]
    for (const nId of ['1', '2', '3']) await insert(nId)
    const [some, others] = await Promise.all([a.due(target, 2), b.due(target, 2)])
    expect(named([...some, ...others, ...(await b.due(target, 2))])).toEqual(['1', '2', '3'])
    expect([...(await a.due(target, 9)), ...(await b.due(target, 9))]).toEqual([])
    const { due, claimedBy } = await find(some[0]!.nId)
    expect([claimedBy, Math.abs(due - b.now() - claimLease) < 5000]).toEqual(['a', true])
    await store.db.updateTable('delivery').set({ due: 0 }).where('claimedBy', '=', 'a').execute()
    // Its own ones are under way still.
    expect(await a.due(target, 9)).toEqual([])
    expect(named(await b.due(target, 9))).toEqual(named(some))
  })

  it('that have run out store no failure over what came of the newer one, but that it was delivered', async () => {
    const [a, b] = [await add('a'), await add('b')]
    await insert('1')
    await insert('2')
    const first = await a.due(target, 9)
    await store.db.updateTable('delivery').set({ due: 0 }).execute()
    expect(named(await b.due(target, 9))).toEqual(['1', '2'])
    for (const row of first) await outcomesOf(a).keep(row, row.nId === '1' ? failed : { ...failed, delivered: true })
    expect(await find('1')).toMatchObject({ state: 'waiting', step: 0, attempts: 0, claimedBy: 'b' })
    expect(await find('2')).toMatchObject({ state: 'delivered' })
    const [row] = first
    await outcomesOf(b).keep({ ...row!, nId: '1' }, failed)
    const { due, ...stored } = await find('1')
    expect(stored).toMatchObject({ state: 'waiting', step: 1, attempts: 1 })
    expect(Math.abs(due - b.now() - 60_000)).toBeLessThan(5000)
  })

  it('of lines are of one process while it renews them, and let go where nothing waits', async () => {
    const clock = manualClock()
    const [a, b] = [await add('a', clock), await add('b')]
    await insert('1', 'l')
    await insert('2', 'm', { due: 1, step: 1 })
    await insert('3', 'later', { due: notYet - 1, step: 1 })
    const line = (name: string, head?: string) => ({ line: name, target, head })
    expect(await a.lines(new Map())).toEqual([line('l'), line('m', '2')])
    expect(await b.lines(new Map())).toEqual([])
    expect([a.hasLine('l'), b.hasLine('l')]).toEqual([true, false])
    expect(await a.release('l')).toBe(false)
    await store.db.updateTable('delivery').set({ state: 'delivered' }).where('nId', '=', '1').execute()
    expect(await a.release('l')).toBe(true)
    await insert('4', 'l')
    expect(await b.lines(new Map([[target, 4]]))).toEqual([])
    expect(await b.lines(new Map([[target, 3]]))).toEqual([line('l')])
    // It stood still for longer than it may send without having renewed.
    clock.sleep(10_000)
    expect(a.hasLine('m')).toBe(false)
    await store.db.updateTable('deliveryLine').set({ until: 0 }).where('owner', '=', 'a').execute()
    expect(await b.lines(new Map())).toEqual([line('m', '2')])
    expect(named(await b.due(target, 9))).toEqual(['2'])
    expect(await a.due(target, 9)).toEqual([])
  })

  it('are of kinds that the process knows: what a newer release put in is left to it, in its order', async () => {
    const [older, newer] = [await add('older'), await add('newer', systemClock, ['copy', 'later'])]
    const later = { kind: 'later' }
    await insert('1', null, later)
    await insert('2')
    expect(named(await older.due(target, 9))).toEqual(['2'])
    expect(named(await newer.due(target, 9))).toEqual(['1'])
    expect(await find('1')).toMatchObject({ attempts: 0, step: 0, claimedBy: 'newer' })
    await insert('3', 'l', later)
    await insert('4', 'l')
    await insert('5', 'm')
    await insert('6', 'm', later)
    await insert('7', 'n', { ...later, due: 1, step: 1 })
    await insert('8', 'n')
    const line = (name: string, head?: string) => ({ line: name, target, head })
    expect(await older.lines(new Map())).toEqual([line('m')])
    expect(await newer.lines(new Map())).toEqual([line('l'), line('n', '7')])
    // What is left of it is for the newer one.
    await store.db.updateTable('delivery').set({ state: 'delivered' }).where('nId', '=', '5').execute()
    expect(await older.release('m')).toBe(true)
    expect(await newer.lines(new Map())).toEqual([line('m')])
  })

  it('of lines that several ask for at once are of one of them', async () => {
    const services = [await add('a'), await add('b'), await add('c')]
    for (let round = 0; round < 5; round++) {
      for (let n = 0; n < 4; n++) await insert(`${round}-${n}`, `l${round}-${n}`)
      const claimed = (await Promise.all(services.map((each) => each.lines(new Map())))).flat()
      expect(claimed.map(({ line }) => line).toSorted()).toEqual([0, 1, 2, 3].map((n) => `l${round}-${n}`))
    }
  })
})
