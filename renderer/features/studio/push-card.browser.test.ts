import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { useChannels } from '../channels/channels.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { paletteWords } from '../frame/words-palette.ts'
import { studioWords } from './words.ts'
import { began, channel, mounted, service, tallies, tally } from '../../testing/mounted.ts'
import { failed } from '../../testing/memory-client.ts'
import PushCard from './push-card.vue'

const en = spoken({ ...frameWords, ...paletteWords }, 'en')
const studioEn = spoken(studioWords, 'en')

const { push } = studioEn
const hour = 3_600_000
const one = channel(1)
const at = { profileId: 'local', cid: one.cid }
const card = (change: { keyStart?: string; expires?: number | null } = {}) => ({
  server: 'rtmp://127.0.0.1:1935/live',
  keyStart: '1111',
  keyEnd: '4812',
  expires: null,
  ...change,
})
const show = (options: Parameters<typeof mounted>[1] = {}, expires: number | null = null) =>
  mounted(PushCard, {
    props: { cid: one.cid, name: one.name, disabled: false },
    channels: [one],
    ...options,
    answers: { 'push.card': () => card({ expires }), ...options.answers },
  })
const button = (name: string) => page.getByRole('button', { name })
const masked = () => page.getByRole('img', { name: push.keyMasked })

describe('the push card', () => {
  it('shows server and masked key of its channel, and asks for them once', async () => {
    const { client } = await show()
    await expect.element(masked()).toHaveTextContent('1111••••••••••••••••4812')
    await expect.element(page.getByText('rtmp://127.0.0.1:1935/live')).toBeVisible()
    expect(client.inputs('push.card')).toEqual([at])
    expect(client.inputs('push.reveal')).toEqual([])
  })

  it('asks before the key is replaced, and replaces that of its channel', async () => {
    const { client } = await show({ answers: { 'push.replaceKey': () => card({ keyStart: '9999' }) } })
    await button(push.replace).click()
    const dialog = page.getByRole('dialog')
    await expect.element(dialog).toMatchTextContent(`Replace the key of ${one.name}?`)
    expect(client.inputs('push.replaceKey')).toEqual([])
    await dialog.getByRole('button', { name: en.ask.replace }).click()
    await expect.element(masked()).toHaveTextContent('9999••••••••••••••••4812')
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(page.getByRole('status')).toHaveTextContent(push.replaced)
    expect(client.inputs('push.replaceKey')).toEqual([at])
  })

  it('does not replace the key when the question is cancelled', async () => {
    const { client } = await show()
    await button(push.replace).click()
    await page.getByRole('dialog').getByRole('button', { name: en.word.cancel }).click()
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    expect(client.inputs('push.replaceKey')).toEqual([])
  })

  it('says in the question why a key could not be replaced', async () => {
    await show({
      answers: {
        'push.replaceKey': () => {
          throw failed({ kind: 'down' })
        },
      },
    })
    await button(push.replace).click()
    await page.getByRole('dialog').getByRole('button', { name: en.ask.replace }).click()
    await expect.element(page.getByRole('dialog').getByRole('alert')).toBeVisible()
  })

  it('reveals the key of its channel and hides it again', async () => {
    const { client } = await show({ answers: { 'push.reveal': () => ({ key: 'the-whole-key' }) } })
    await button(push.reveal).click()
    await expect.element(page.getByText('the-whole-key')).toBeVisible()
    await expect.element(page.getByText('Hidden again in 8 s')).toBeVisible()
    await button(push.hide).click()
    await expect.element(page.getByText('the-whole-key')).not.toBeInTheDocument()
    expect(client.inputs('push.reveal')).toEqual([at])
  })

  it.each([
    ['key', push.copyKey],
    ['url', en.palette.copyUrl],
  ] as const)('copies the %s of its channel without showing it', async (part, name) => {
    const { client } = await show({ answers: { 'push.copy': () => ({ text: null }) } })
    await button(name).click()
    await expect.element(page.getByRole('status')).toHaveTextContent(push.copied[part])
    expect(client.inputs('push.copy')).toEqual([{ ...at, part }])
    expect(client.inputs('push.reveal')).toEqual([])
  })

  it.each([
    ['without an expiry', null, push.noExpiry, false],
    ['with days left', began + 20 * 24 * hour, push.expiresIn, false],
    ['that ends within a day', began + 5 * hour, push.soon, true],
    ['that has expired', began - hour, push.expiredText, true],
  ] as const)('says of a key %s how long it is good', async (_case, expires, says, renews) => {
    const { client } = await show({ answers: { 'push.renew': () => card({ keyStart: '7777' }) } }, expires)
    await expect.element(page.getByText(says)).toBeVisible()
    expect(button(push.renew).query() !== null).toBe(renews)
    if (!renews) return
    await button(push.renew).click()
    await expect.element(masked()).toHaveTextContent('7777••••••••••••••••4812')
    expect(client.inputs('push.renew')).toEqual([at])
  })

  it.each([
    ['replace', push.replace],
    ['reveal', push.reveal],
    ['copy the key', push.copyKey],
    ['copy the address', en.palette.copyUrl],
  ])('does not %s while the service is down, and says why', async (_case, name) => {
    const { client, tell } = await show()
    await tell(service('restarting'))
    await expect.element(button(name)).toHaveAttribute('aria-disabled', 'true')
    await expect.element(button(name)).toHaveAttribute('title', en.blocker.down)
    await button(name).click({ force: true })
    expect(page.getByRole('dialog').query()).toBeNull()
    expect(client.calls.filter(({ path }) => path.startsWith('push.') && path !== 'push.card')).toEqual([])
  })

  it('gives no new key of a disabled channel, and none of a hosted one', async () => {
    await show({ props: { cid: one.cid, name: one.name, disabled: true } })
    await expect.element(masked()).toBeVisible()
    expect(button(push.replace).query()).toBeNull()
  })

  it('says when the address could not be read, and reads it again on request', async () => {
    const { client } = await show({
      answers: {
        'push.card': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await expect.element(page.getByText(push.loadFailed)).toBeVisible()
    client.answer({ 'push.card': () => card() })
    await button(en.word.retry).click()
    await expect.element(masked()).toBeVisible()
  })

  it('asks the hosted service of its profile, and names no key of it', async () => {
    const { client } = await show({ profile: 'hosted-1' })
    await expect.element(masked()).toBeVisible()
    expect(client.inputs('push.card')).toEqual([{ profileId: 'hosted-1', cid: one.cid }])
    expect(button(push.replace).query()).toBeNull()
  })

  it('reads the address again when the service is back', async () => {
    const { client, tell } = await show()
    await tell(service('restarting'))
    client.answer({ 'push.card': () => card({ keyStart: '5555' }) })
    await tell(service('running'), tallies([]))
    await expect.element(masked()).toMatchTextContent(/^5555/)
  })

  it('hides a shown key by itself after 8 s, which it counts down', async () => {
    const timers = vi.spyOn(window, 'setTimeout')
    onTestFinished(() => void vi.restoreAllMocks())
    const { pass } = await show({ answers: { 'push.reveal': () => ({ key: 'the-whole-key' }) } })
    await button(push.reveal).click()
    await expect.element(page.getByText('Hidden again in 8 s')).toBeVisible()
    await pass(3_000)
    await expect.element(page.getByText('Hidden again in 5 s')).toBeVisible()
    const hide = timers.mock.calls.findLast(([, ms]) => ms === 8_000)?.[0] as () => void
    hide()
    await expect.element(page.getByText('the-whole-key')).not.toBeInTheDocument()
    await expect.element(masked()).toBeVisible()
  })

  it('shows no key while somebody may see the screen, hides one that is shown, and says why', async () => {
    const { client, tell } = await show({ answers: { 'push.reveal': () => ({ key: 'the-whole-key' }) } })
    await button(push.reveal).click()
    await expect.element(page.getByText('the-whole-key')).toBeVisible()
    await tell(tallies([tally({ ...one, status: 1 })]))
    await expect.element(page.getByText('the-whole-key')).not.toBeInTheDocument()
    await expect.element(button(push.reveal)).toHaveAttribute('aria-disabled', 'true')
    await expect.element(button(push.reveal)).toHaveAttribute('title', en.word.covered)
    await button(push.reveal).click({ force: true })
    expect(client.inputs('push.reveal').length).toBe(1)
  })

  it('hides a shown key when it is replaced', async () => {
    await show({
      answers: { 'push.reveal': () => ({ key: 'the-whole-key' }), 'push.replaceKey': () => card({ keyStart: '9999' }) },
    })
    await button(push.reveal).click()
    await expect.element(page.getByText('the-whole-key')).toBeVisible()
    await button(push.replace).click()
    await page.getByRole('dialog').getByRole('button', { name: en.ask.replace }).click()
    await expect.element(masked()).toHaveTextContent('9999••••••••••••••••4812')
    expect(page.getByText('the-whole-key').query()).toBeNull()
  })

  it('copies the server as it stands, also while the service is down', async () => {
    const { client, tell } = await show()
    await tell(service('restarting'))
    await button(push.copyServer).click()
    await expect.element(page.getByRole('status')).toHaveTextContent(push.copied.server)
    expect(await navigator.clipboard.readText()).toBe('rtmp://127.0.0.1:1935/live')
    expect(client.inputs('push.copy')).toEqual([])
  })

  it('puts what the app gives it on the clipboard, and says for 4 s that it did', async () => {
    const timers = vi.spyOn(window, 'setTimeout')
    onTestFinished(() => void vi.restoreAllMocks())
    await show({ answers: { 'push.copy': ({ part }) => ({ text: `the ${part}` }) } })
    await button(push.copyKey).click()
    await expect.element(page.getByRole('status')).toHaveTextContent(push.copied.key)
    expect(await navigator.clipboard.readText()).toBe('the key')
    const over = timers.mock.calls.findLast(([, ms]) => ms === 4_000)?.[0] as () => void
    over()
    await expect.element(page.getByRole('status')).toHaveTextContent('')
  })

  it('copies the key by Ctrl+Shift+C, not while something is typed, and says so beside the card', async () => {
    const { client } = await show({ answers: { 'push.copy': ({ part }) => ({ text: `the ${part}` }) } })
    const toasts = page.getByRole('region', { name: /Notifications/ })
    await expect.element(masked()).toBeVisible()
    const field = document.createElement('input')
    document.body.append(field)
    field.focus()
    await userEvent.keyboard('{Control>}{Shift>}C{/Shift}{/Control}')
    field.remove()
    expect(client.inputs('push.copy')).toEqual([])
    await userEvent.keyboard('{Control>}{Shift>}C{/Shift}{/Control}')
    await expect.element(toasts.getByText(push.copied.key)).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe('the key')
    client.answer({
      'push.copy': () => {
        throw failed({ kind: 'late' })
      },
    })
    await userEvent.keyboard('{Control>}{Shift>}C{/Shift}{/Control}')
    await expect.element(toasts.getByText(en.failure.late.sentence)).toBeVisible()
  })

  it('says that the clipboard refused, and no more so of the next copy', async () => {
    const write = vi.spyOn(navigator.clipboard, 'writeText')
    write.mockRejectedValueOnce(new DOMException('refused', 'NotAllowedError'))
    onTestFinished(() => void vi.restoreAllMocks())
    await show({ answers: { 'push.copy': () => ({ text: 'the key' }) } })
    await button(push.copyKey).click()
    await expect.element(page.getByRole('alert')).toHaveTextContent(push.copyFailed)
    await expect.element(page.getByRole('status')).toHaveTextContent('')
    await button(push.copyKey).click()
    await expect.element(page.getByRole('status')).toHaveTextContent(push.copied.key)
    expect(page.getByRole('alert').query()).toBeNull()
  })

  it('says why a key could not be copied or shown, and not that the clipboard refused', async () => {
    const refuse = () => {
      throw failed({ kind: 'late' })
    }
    await show({ answers: { 'push.copy': refuse, 'push.reveal': refuse } })
    await button(push.copyKey).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    expect(page.getByText(push.copyFailed).query()).toBeNull()
    await button(push.reveal).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    await expect.element(masked()).toBeVisible()
  })

  it('says when a key expired, counts down what is left, and says that a fresh address is there', async () => {
    const { pass } = await show(
      { answers: { 'push.renew': () => card({ expires: began + 20 * 24 * hour }) } },
      began + hour,
    )
    const left = () => document.querySelector('[data-figure=keyLeft]')?.textContent
    expect(left()).toBe('0 d 01:00:00')
    await pass(1_000)
    await expect.poll(left).toBe('0 d 00:59:59')
    await pass(hour)
    await expect.element(page.getByText(/^Key expired /)).toBeVisible()
    await button(push.renew).click()
    await expect.element(page.getByRole('status')).toHaveTextContent(push.renewed)
    await expect.element(button(push.renew)).not.toBeInTheDocument()
  })

  it('is not renewed while the service is down, and says that it can be later', async () => {
    const { client, tell } = await show({}, began - hour)
    await tell(service('restarting'))
    await expect.element(button(push.renewLater)).toHaveAttribute('aria-disabled', 'true')
    await button(push.renewLater).click({ force: true })
    expect(client.inputs('push.renew')).toEqual([])
  })

  it('is read again when the list of channels was', async () => {
    const { client, pinia } = await show()
    client.answer({
      'channels.list': () => ({ channels: [one], total: 1 }),
      'push.card': () => card({ keyStart: '3333' }),
    })
    await useChannels(pinia).refresh()
    await expect.element(masked()).toMatchTextContent(/^3333/)
  })
})
