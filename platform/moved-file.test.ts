import { expect, it } from 'vitest'
import { moveFile } from './moved-file.ts'

/** A disk that refuses some moves with a code. */
function disk(refusals: number, code: string) {
  let tries = 0
  const waits: number[] = []
  const rename = (): Promise<void> =>
    ++tries > refusals ? Promise.resolve() : Promise.reject(Object.assign(new Error(code), { code }))
  const wait = (ms: number): Promise<void> => {
    waits.push(ms)
    return Promise.resolve()
  }
  return { rename, wait, tries: () => tries, waited: () => waits.reduce((sum, ms) => sum + ms, 0) }
}

it.each(['EPERM', 'EACCES', 'EBUSY'])(
  'tries again on Windows while another program has the file open (%s)',
  async (code) => {
    const held = disk(6, code)
    await moveFile('a', 'b', { platform: 'win32', ...held })
    expect(held.tries()).toBe(7)
  },
)

it('gives up after 5 s with the error of the system', async () => {
  const held = disk(Infinity, 'EBUSY')
  await expect(moveFile('a', 'b', { platform: 'win32', ...held })).rejects.toMatchObject({ code: 'EBUSY' })
  expect(held.waited()).toBeGreaterThanOrEqual(5_000)
  expect(held.waited()).toBeLessThan(5_500)
})

it('does not try again for other faults, nor on other systems', async () => {
  const missing = disk(1, 'ENOENT')
  await expect(moveFile('a', 'b', { platform: 'win32', ...missing })).rejects.toMatchObject({ code: 'ENOENT' })
  const refused = disk(1, 'EPERM')
  await expect(moveFile('a', 'b', { platform: 'linux', ...refused })).rejects.toMatchObject({ code: 'EPERM' })
  expect([missing.tries(), refused.tries()]).toEqual([1, 1])
})
