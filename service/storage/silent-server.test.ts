import { expect, it } from 'vitest'
import { describeOnPostgres } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { endWhenSilent } from './silent-server.ts'
import { cuttablePool } from './testing/cuttable-pool.ts'

describeOnPostgres('a pool whose server has become silent', () => {
  const begin = () =>
    cuttablePool((pool) => {
      endWhenSilent(pool, { every: 50, silence: 100, patience: 2000 })
      return pool
    })

  it('fails who waits for it, leaves no connection, and takes new connections when it is back', async () => {
    const { pool, silent } = await begin()
    await Promise.all([pool.query('select 1'), pool.query('select 1')])
    expect(pool.totalCount).toBe(2)
    silent(true)
    await expect(pool.query('select 2')).rejects.toThrow('Connection terminated unexpectedly')
    await eventually(() => expect(pool.totalCount).toBe(0))
    silent(false)
    expect((await pool.query('select 3 as three')).rows).toEqual([{ three: 3 }])
  })

  it('leaves a statement alone that takes its time while the server answers others', async () => {
    const { pool } = await begin()
    expect((await pool.query('select pg_sleep(2.5), 4 as four')).rows).toMatchObject([{ four: 4 }])
  })
})
