import { afterEach, expect, it, vi } from 'vitest'
import { copyText } from './clipboard.ts'

afterEach(() => vi.unstubAllGlobals())

it('copies a text, and says where it did not reach the clipboard', async () => {
  const written: string[] = []
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void written.push(text) } })
  expect([await copyText('a text'), written]).toEqual([true, ['a text']])
  vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.reject(new Error('denied')) } })
  expect(await copyText('a text')).toBe(false)
  // A page without TLS has no clipboard.
  vi.stubGlobal('navigator', {})
  expect(await copyText('a text')).toBe(false)
})
