import { afterEach, expect, it, vi } from 'vitest'
import { inBackground } from './background.ts'

afterEach(() => vi.unstubAllGlobals())

it('reports what fails in the background, and nothing of what succeeds', async () => {
  const reported: unknown[] = []
  vi.stubGlobal('reportError', (error: unknown) => reported.push(error))
  inBackground(Promise.resolve('done'))
  const error = new Error('it failed')
  inBackground(Promise.reject(error))
  expect(reported).toEqual([])
  await vi.waitFor(() => expect(reported).toEqual([error]))
})
