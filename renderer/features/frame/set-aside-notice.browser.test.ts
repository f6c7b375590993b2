import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { SetAside } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, withParts } from '../../testing/mounted.ts'
import { useKeeping } from '../this-computer/keeping.ts'
import FrameNotes from './frame-notes.vue'
import SetAsideNotice from './set-aside-notice.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')

const entry = (id: string, seen: boolean, bytes = 1_500_000): SetAside => ({
  where: 'service',
  id,
  at: began,
  reason: 'unknown',
  detail: '',
  paths: [`recordings/${id}.mp4`],
  count: 1,
  bytes,
  seen,
  until: began + 86_400_000,
})
const show = (entries: readonly SetAside[], options: Parameters<typeof mounted>[1] = {}) =>
  mounted(withParts(FrameNotes, SetAsideNotice), {
    ...options,
    before: (pinia) => {
      useKeeping(pinia).kept = { entries: [...entries], count: entries.length, bytes: 0, service: true }
    },
  })
const said = () => page.getByRole('status')
const dismiss = () => page.getByRole('button', { name: en.kept.dismiss })

describe('something that was set aside', () => {
  it('is told of once, with the number and size of what nobody was told of yet', async () => {
    await show([entry('a', false), entry('b', false), entry('c', true)])
    await expect.element(said()).toMatchTextContent(/\b2\b.*3\.00 MB/)
  })

  it('is not told of when somebody has seen it', async () => {
    await show([entry('a', true)])
    expect(said().query()).toBeNull()
  })

  it('is shown among what this computer keeps', async () => {
    const { router } = await show([entry('a', false)])
    await page.getByRole('link', { name: en.kept.show }).click()
    await expect.poll(() => router.currentRoute.value.fullPath).toBe('/settings/computer?show=set-aside')
  })

  it('is remembered as seen when it is put away', async () => {
    const { client } = await show([entry('a', false)], { answers: { 'keeping.seen': () => undefined } })
    await dismiss().click()
    await expect.poll(() => client.inputs('keeping.seen')).toHaveLength(1)
  })

  it('says why it could not be put away, and stays', async () => {
    await show([entry('a', false)], {
      answers: {
        'keeping.seen': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await dismiss().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    await expect.element(said()).toBeVisible()
  })

  it('can be put away only once while that is under way', async () => {
    const answer = Promise.withResolvers<undefined>()
    const { client } = await show([entry('a', false)], { answers: { 'keeping.seen': () => answer.promise } })
    await dismiss().click()
    await expect.element(dismiss()).toHaveAttribute('aria-disabled', 'true')
    await dismiss().click({ force: true })
    answer.resolve(undefined)
    await expect.element(dismiss()).toHaveAttribute('aria-disabled', 'false')
    expect(client.inputs('keeping.seen')).toHaveLength(1)
  })

  it('is told of in the singular where it is one', async () => {
    await show([entry('a', false)])
    const [one] = en.kept.notice.split(' | ') as [string]
    await expect.element(said()).toHaveTextContent(one.replace('{n}', '1').replace('{size}', '1.50 MB'))
  })
})
