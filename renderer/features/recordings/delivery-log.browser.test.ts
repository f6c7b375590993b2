import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { receivedCallback, sentCallback } from '../../testing/recorded-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { recordingsWords } from './words.ts'
import { reasonWords } from '../frame/words-reason.ts'
import DeliveryLog from './delivery-log.vue'

const en = spoken(frameWords, 'en')
const recordingsEn = spoken(recordingsWords, 'en')
const reasonEn = spoken(reasonWords, 'en')
const recordingsZh = spoken(recordingsWords, 'zh')

const { callbacks: words } = recordingsEn

/** The log of a profile, opened once the page has begun. */
async function show(options: MountOptions = {}) {
  const open = ref(false)
  const profileId = ref(options.profile ?? 'local')
  const part: Component = {
    render: () =>
      h(DeliveryLog, {
        open: open.value,
        'onUpdate:open': (next: boolean) => (open.value = next),
        profileId: profileId.value,
      }),
  }
  const on = await mounted(part, {
    ...options,
    answers: {
      'recordings.callbacks': () => ({ list: [], waiting: 0 }),
      'receivers.deliveries': () => [],
      'recordings.resend': () => undefined,
      ...options.answers,
    },
  })
  open.value = true
  await expect.element(dialog()).toBeVisible()
  return { ...on, open, profileId }
}
const dialog = () => page.getByRole('dialog')
const button = (name: string) => dialog().getByRole('button', { name, exact: true })
const sent = () => dialog().getByRole('region', { name: words.sent })
const received = () => dialog().getByRole('region', { name: words.received })

describe('the delivery log', () => {
  it('has state, tries and result of each callback that was sent', async () => {
    await show({
      answers: {
        'recordings.callbacks': () => ({
          list: [
            sentCallback(1),
            sentCallback(2, { state: 'waiting', attempts: 4, due: began + 540_000, result: null }),
            sentCallback(3, { state: 'failed', attempts: 9, result: { code: 'refused', params: {} } }),
          ],
          waiting: 1,
        }),
      },
    })
    const line = (index: number) => sent().getByRole('listitem').nth(index)
    await expect.element(line(0)).toMatchTextContent('Delivered · 1 attempt · HTTP 200')
    await expect.element(line(1)).toMatchTextContent('Retry 16:09:00 · 4 attempts')
    await expect.element(line(2)).toMatchTextContent('Given up · 9 attempts · Connection refused')
    await expect.element(line(2)).toMatchTextContent('n3')
  })

  it('has what the receiver made of each callback that came in', async () => {
    await show({
      answers: {
        'receivers.deliveries': () => [
          receivedCallback(1),
          receivedCallback(2, { verdict: 'duplicate', test: 'replay' }),
          receivedCallback(3, { verdict: 'forged', test: 'tamper', why: { code: 'signature', params: {} } }),
          receivedCallback(4, { verdict: 'unreadable', fields: {}, from: '10.1.2.3' }),
        ],
      },
    })
    const line = (index: number) => received().getByRole('listitem').nth(index)
    await expect.element(line(0)).toMatchTextContent('Accepted')
    await expect.element(line(0)).toMatchTextContent('file-1')
    await expect.element(line(1)).toMatchTextContent('Duplicate, dropped · replayed here')
    await expect
      .element(line(2))
      .toMatchTextContent(`Forged, turned away · tampered with here · ${reasonEn.reason.callback.signature}`)
    await expect.element(line(3)).toMatchTextContent('10.1.2.3')
  })

  it('sends the callback of the row again, once while it is asked for', async () => {
    let release = (): void => undefined
    const { client } = await show({
      answers: {
        'recordings.callbacks': () => ({ list: [sentCallback(1), sentCallback(2)], waiting: 0 }),
        'recordings.resend': () => new Promise<undefined>((resolve) => (release = () => resolve(undefined))),
      },
    })
    await button(words.resendThis.replace('{id}', 'n2')).click()
    await button(words.resendThis.replace('{id}', 'n2')).click({ force: true })
    await button(words.resendThis.replace('{id}', 'n1')).click({ force: true })
    release()
    await expect.poll(() => client.inputs('recordings.resend')).toEqual([{ profileId: 'local', nId: 'n2' }])
  })

  it('says why a callback could not be sent again', async () => {
    await show({
      answers: {
        'recordings.callbacks': () => ({ list: [sentCallback(1)], waiting: 0 }),
        'recordings.resend': () => {
          throw failed({ kind: 'code', code: 501 })
        },
      },
    })
    await button(words.resendThis.replace('{id}', 'n1')).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('The live service had a fault')
  })

  it('does not send again while the service is down', async () => {
    const { client, tell } = await show({
      answers: { 'recordings.callbacks': () => ({ list: [sentCallback(1)], waiting: 0 }) },
    })
    const resend = button(words.resendThis.replace('{id}', 'n1'))
    await expect.element(resend).toBeVisible()
    await tell(service('restarting'))
    if (resend.query()) await resend.click({ force: true })
    expect(client.inputs('recordings.resend')).toEqual([])
  })

  it('says that nothing was sent or received, and leads to the receiver', async () => {
    const { router } = await show()
    await expect.element(sent()).toMatchTextContent(words.noneSent)
    await received().getByRole('link', { name: words.setUp }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/receivers')
  })

  it('has only what was received of a hosted service', async () => {
    await show({ profile: 'hosted-1', answers: { 'receivers.deliveries': () => [receivedCallback(1)] } })
    await expect.element(received()).toMatchTextContent('file-1')
    expect(sent().query()).toBeNull()
  })

  it('asks for nothing before it is opened, and reads again on request and when a callback came', async () => {
    const { client, tell, open } = await show()
    await expect.poll(() => client.inputs('receivers.deliveries')).toEqual([{ profileId: 'local', limit: 100 }])
    client.answer({ 'receivers.deliveries': () => [receivedCallback(5)] })
    await button(en.word.refresh).click()
    await expect.element(received()).toMatchTextContent('file-5')
    client.answer({ 'receivers.deliveries': () => [receivedCallback(6)] })
    await tell({ type: 'delivery', profileId: 'local', delivery: receivedCallback(6) })
    await expect.element(received()).toMatchTextContent('file-6')
    open.value = false
    await expect.element(dialog()).not.toBeInTheDocument()
    const before = client.inputs('receivers.deliveries').length
    await tell({ type: 'delivery', profileId: 'local', delivery: receivedCallback(7) })
    expect(client.inputs('receivers.deliveries')).toHaveLength(before)
  })

  it('says why the received ones could not be read', async () => {
    await show({
      answers: {
        'receivers.deliveries': () => {
          throw failed()
        },
      },
    })
    await expect.element(dialog().getByRole('alert')).toBeVisible()
    expect(received().query()).toBeNull()
  })

  it('shows nothing of the profile before when those of another could not be read', async () => {
    const { client, profileId } = await show({ answers: { 'receivers.deliveries': () => [receivedCallback(5)] } })
    await expect.element(received()).toMatchTextContent('file-5')
    client.answer({
      'receivers.deliveries': () => {
        throw failed()
      },
    })
    profileId.value = 'hosted-1'
    await expect.element(dialog().getByRole('alert')).toBeVisible()
    await expect.element(page.getByText(/file-5/)).not.toBeInTheDocument()
  })

  it('closes by Escape and by its button', async () => {
    const { open } = await show()
    await userEvent.keyboard('{Escape}')
    expect(open.value).toBe(false)
    open.value = true
    await button(en.word.close).click()
    expect(open.value).toBe(false)
  })

  it('shows the name of a file that somebody gave as text', async () => {
    await show({
      answers: { 'receivers.deliveries': () => [receivedCallback(1, { fields: { video_name: '<b>bold</b>' } })] },
    })
    await expect.element(received()).toMatchTextContent('<b>bold</b>')
  })

  it('speaks Chinese', async () => {
    await show({ language: 'zh' })
    await expect.element(page.getByRole('dialog', { name: recordingsZh.callbacks.title })).toBeVisible()
    await expect.element(page.getByText(recordingsZh.callbacks.noneSent)).toBeVisible()
  })

  it('says that a callback waits where no time is set for its next try', async () => {
    await show({
      answers: {
        'recordings.callbacks': () => ({
          list: [sentCallback(1, { state: 'waiting', attempts: 0, due: null, result: null })],
          waiting: 1,
        }),
      },
    })
    await expect.element(sent().getByRole('listitem')).toMatchTextContent(`${words.state.waiting} · 0 attempts`)
  })

  it('has the hundred newest that were sent, and not more', async () => {
    const list = Array.from({ length: 101 }, (_, index) => sentCallback(index + 1))
    await show({ answers: { 'recordings.callbacks': () => ({ list, waiting: 0 }) } })
    await expect.poll(() => sent().getByRole('listitem').elements().length).toBe(100)
    await expect.element(sent().getByRole('listitem').last()).toMatchTextContent('n100')
  })
})
