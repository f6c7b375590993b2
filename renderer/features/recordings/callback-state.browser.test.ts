import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Delivery, OutgoingCallback } from '../../../contract/rpc/index.ts'
import { spoken } from '../../format/languages.ts'
import { began, mounted, type MountOptions } from '../../testing/mounted.ts'
import { receivedCallback, recordedFile, sentCallback } from '../../testing/recorded-values.ts'
import CallbackState from './callback-state.vue'
import { recordingsWords } from './words.ts'

const { callbacks: words, files } = spoken(recordingsWords, 'en')
const show = (sent: readonly OutgoingCallback[], received?: Delivery, options: MountOptions = {}) =>
  mounted(CallbackState, {
    ...options,
    props: { file: recordedFile(1), received, class: 'here' },
    answers: {
      'recordings.callbacks': () => ({ list: [...sent], waiting: 0 }),
      'recordings.resend': () => undefined,
      ...options.answers,
    },
  })
const said = () => document.querySelector('.here')?.textContent?.trim()
const title = () => document.querySelector('.here')?.getAttribute('title') ?? null
const retry = () => page.getByRole('button', { name: words.retryThis.replace('{name}', 'file-1') })
const receivedAt = files.received.replace('{time}', '15:59')

describe('the state of the callback of a file', () => {
  it('is a dash where nothing is known of it', async () => {
    await show([])
    expect([said(), title()]).toEqual(['–', null])
  })

  it('is that it was delivered, with tries and answer, though it was received here too', async () => {
    await show([sentCallback(1, { attempts: 2 })], receivedCallback(1))
    await expect.poll(said).toBe(words.state.delivered)
    expect(title()).toBe('2 attempts · HTTP 200')
    expect(retry().query()).toBeNull()
  })

  it('has one try in the singular, and no answer where there was none', async () => {
    await show([sentCallback(1, { state: 'waiting', attempts: 1, due: began + 60_000, result: null })])
    await expect.poll(said).toBe(words.retry.replace('{time}', '16:01'))
    expect(title()).toBe('1 attempt')
    expect(retry().query()).toBeNull()
  })

  it('is that it waits where nobody knows until when', async () => {
    await show([sentCallback(1, { state: 'waiting', due: null })])
    await expect.poll(said).toBe(words.state.waiting)
  })

  it('is that it was given up, and it can be sent again by its id', async () => {
    const { client } = await show([sentCallback(1, { state: 'failed', nId: 'the-newest' })], receivedCallback(1))
    await expect.poll(said).toBe(`${words.state.failed}${words.retryNow}`)
    await retry().click()
    await expect.poll(() => client.inputs('recordings.resend')).toEqual([{ profileId: 'local', nId: 'the-newest' }])
  })

  it('is the newest of several', async () => {
    await show([sentCallback(1, { state: 'failed', nId: 'newer' }), sentCallback(1, { nId: 'older' })])
    await expect.poll(said).toContain(words.state.failed)
  })

  it('is not that of another file', async () => {
    await show([sentCallback(2), sentCallback(1, { vid: null })])
    expect(said()).toBe('–')
  })

  it('is when it was received where the service does not tell', async () => {
    await show([], receivedCallback(1))
    expect([said(), title()]).toEqual([receivedAt, null])
  })

  it('is what was received in a hosted profile, whatever the own service sent', async () => {
    await show([sentCallback(1, { state: 'failed' })], receivedCallback(1), { profile: 'hosted-1' })
    expect(said()).toBe(receivedAt)
    expect(retry().query()).toBeNull()
  })
})
