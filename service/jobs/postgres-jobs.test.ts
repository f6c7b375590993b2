import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import { openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { describeOnPostgres } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import type { Jobs } from './jobs.ts'
import { createPostgresJobs } from './postgres-jobs.ts'

describeOnPostgres('jobs of several services', () => {
  let number = 0
  let store: Store
  const jobsOf = (node: string, clock = systemClock): Jobs =>
    createPostgresJobs({ db: store.db, node, clock, log: silentLog })
  beforeEach(async () => {
    store = await openStore(`jobs ${process.pid} ${++number}`)
  })
  afterEach(() => store.close())
  const hour = 3_600_000
  const rows = () => store.db.selectFrom('job').selectAll().execute()

  it('are run by one of them, and again when the time is over', async () => {
    const done: string[] = []
    const ask = () =>
      Promise.all(['a', 'b', 'c'].map((node) => jobsOf(node).run('trim', hour, async () => void done.push(node))))
    await ask()
    expect(done).toHaveLength(1)
    await ask()
    expect(done).toHaveLength(1)
    await jobsOf('a').run('other', hour, async () => void done.push('other'))
    expect(done.slice(1)).toEqual(['other'])
    await store.db
      .updateTable('job')
      .set(({ eb }) => ({ done: eb('done', '-', hour) }))
      .execute()
    await ask()
    expect(done).toHaveLength(3)
  })

  it('are not run by another one meanwhile, also where no time has to pass, until who has it is gone', async () => {
    const clock = manualClock()
    const gate = Promise.withResolvers<void>()
    const running = jobsOf('a', clock).run('sweep', 0, () => gate.promise)
    await eventually(async () => expect(await rows()).toHaveLength(1))
    let others = 0
    const other = () => jobsOf('b').run('sweep', 0, async () => void others++)
    await other()
    // It is renewed.
    const [{ until } = { until: 0 }] = await rows()
    clock.advance(5000)
    await eventually(async () => expect((await rows())[0]!.until).toBeGreaterThan(until))
    await other()
    expect(others).toBe(0)
    await store.db.updateTable('job').set({ until: 1 }).execute()
    await other()
    expect(others).toBe(1)
    const [after] = await rows()
    // Its end is not that of the other one's run.
    gate.resolve()
    await running
    expect(await rows()).toEqual([after])
  })

  it('are free at once after a failure, which is told', async () => {
    const jobs = jobsOf('a')
    await expect(jobs.run('trim', hour, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    let again = 0
    await jobsOf('b').run('trim', hour, async () => void again++)
    expect(again).toBe(1)
  })
})
