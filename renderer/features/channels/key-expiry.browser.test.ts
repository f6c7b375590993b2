import { describe, expect, it } from 'vitest'
import { spoken } from '../../format/languages.ts'
import { began, mounted } from '../../testing/mounted.ts'
import KeyExpiry from './key-expiry.vue'
import { channelsWords } from './words.ts'

const { channels: words } = spoken(channelsWords, 'en')
const [second, day] = [1_000, 86_400_000]
const show = (left: number | null) =>
  mounted(KeyExpiry, { props: { expires: left === null ? null : began + left, class: 'here' } })
const seen = () => {
  const part = document.querySelector('.here')
  return [part?.textContent, part?.getAttribute('title') ?? null, part?.classList.contains('text-armt')]
}

describe('when a key expires', () => {
  it.each([
    ['not at all', null, ['–', null, false]],
    ['a second ago', -second, [words.expired, null, true]],
    ['now', 0, [words.expired, null, true]],
    ['in a second', second, ['0d 00:00', words.expiresSoon, true]],
    ['in a minute less than a day', day - 60_000, ['0d 23:59', words.expiresSoon, true]],
    ['in the last second of a day', day - 1, ['0d 23:59', words.expiresSoon, true]],
    ['in a day', day, ['1d 00:00', null, false]],
    ['in twelve days and some time', 12 * day + 3 * 3_600_000 + 4 * 60_000 + 59 * second, ['12d 03:04', null, false]],
  ] as const)('is told, and marked where it is within a day: %s', async (_case, left, says) => {
    await show(left)
    expect(seen()).toEqual(says)
  })

  it('counts down with the clock of the page', async () => {
    const { pass } = await show(day)
    await pass(1)
    await expect.poll(seen).toEqual(['0d 23:59', words.expiresSoon, true])
    await pass(day - 1)
    await expect.poll(seen).toEqual([words.expired, null, true])
  })
})
