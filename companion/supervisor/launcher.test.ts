import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { ReasonOf } from '../../contract/catalogue/reasons.ts'
import { scratch, until } from '../testing/rig.ts'
import { nodeLauncher, serviceEnvironment } from './launcher.ts'

/** How a process that does this ended. */
async function endOf(code: string, then: (kill: () => void) => void = () => undefined): Promise<ReasonOf<'service'>> {
  using folder = scratch()
  const entry = path.join(folder.dir, 'child.mjs')
  writeFileSync(entry, code)
  const child = nodeLauncher(entry)()
  let how: ReasonOf<'service'> | undefined
  child.onExit((told) => {
    how = told
  })
  then(() => child.kill())
  return await until('its end', () => how ?? false)
}

it('says how a process ended', async () => {
  expect(await endOf('process.exit(3)')).toEqual({ code: 'exited', params: { status: '3' } })
  // Windows knows no signals: a process that is ended there has a code.
  expect([
    { code: 'killed', params: { signal: 'SIGKILL' } },
    { code: 'exited', params: { status: expect.stringMatching(/^\d+$/) as string } },
  ]).toContainEqual(await endOf('setInterval(() => undefined, 1000)', (kill) => kill()))
})

it('gives the service only what a process needs to run, and few heaps of the system’s own', () => {
  const own = { PATH: '/bin', SIDESTAGE_APP_SECRET: 'secret', SSH_AUTH_SOCK: '/run/agent', MALLOC_ARENA_MAX: '8' }
  expect(serviceEnvironment(own)).toEqual({
    PATH: '/bin',
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '131072',
    MALLOC_TRIM_THRESHOLD_: '131072',
  })
})
