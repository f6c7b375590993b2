import { expect, it } from 'vitest'
import { describeOnPostgres } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { connectPatiently } from './patient-connect.ts'
import { cuttablePool } from './testing/cuttable-pool.ts'

describeOnPostgres('a pool whose server is away for a moment', () => {
  it('lets callers wait until it is back, and one of them try', async () => {
    const { pool, tries, away } = await cuttablePool((pool) => connectPatiently(pool, 60_000))
    away(true)
    const asked = Array.from({ length: 20 }, () => pool.query('select 1 as one'))
    // Each found by itself that it is away; after that there is one try at a time.
    await eventually(() => expect(tries()).toBeGreaterThan(22))
    const [before, from] = [tries(), performance.now()]
    await eventually(() => expect(tries()).toBeGreaterThan(before + 3))
    expect(tries() - before).toBeLessThanOrEqual((performance.now() - from) / 50 + 1)
    away(false)
    for (const { rows } of await Promise.all(asked)) expect(rows).toEqual([{ one: 1 }])
  })

  it('fails them with what the last try said when it stays away, and what else goes wrong at once', async () => {
    const { pool, tries, away } = await cuttablePool((pool) => connectPatiently(pool, 200))
    await expect(pool.query('select nothing')).rejects.toThrow('nothing')
    expect(tries()).toBe(0)
    away(true)
    const from = performance.now()
    await expect(pool.connect()).rejects.toThrow(/terminated|ECONNRESET/)
    expect(performance.now() - from).toBeGreaterThanOrEqual(200)
    away(false)
    await eventually(async () => expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]))
  })
})
