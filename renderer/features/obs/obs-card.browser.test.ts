import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { ObsState } from '../../../contract/rpc/index.ts'
import { channel, mounted, service } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { obsWords } from './words.ts'
import ObsCard from './obs-card.vue'

const en = spoken(frameWords, 'en')
const obsEn = spoken(obsWords, 'en')
const obsZh = spoken(obsWords, 'zh')

const { obs: words } = obsEn
const one = channel(1)
const other = channel(2)
const at = { profileId: 'local', cid: one.cid }
const off: ObsState = {
  phase: 'off',
  reason: null,
  host: '127.0.0.1',
  port: 4455,
  enabled: false,
  password: 'none',
  beyond: false,
  nextAttempt: null,
  version: null,
  streaming: null,
  target: null,
  statistics: null,
}
const connected: ObsState = { ...off, phase: 'connected', enabled: true, version: '30.2.3', streaming: 'off' }
const here: ObsState = { ...connected, streaming: 'live', target: at }
const elsewhere: ObsState = { ...connected, streaming: 'live', target: null }
const show = (obs: ObsState, options: Parameters<typeof mounted>[1] & { readonly disabled?: boolean } = {}) =>
  mounted(ObsCard, {
    props: { ...at, name: one.name, disabled: options.disabled ?? false },
    channels: [one, other],
    events: [{ type: 'obs', obs }],
    ...options,
    answers: {
      'obs.goLive': () => ({ outcome: 'done', code: null }),
      'obs.stop': () => ({ outcome: 'done', code: null }),
      'obs.connect': () => connected,
      ...options.answers,
    },
  })
const button = (name: string) => page.getByRole('button', { name })
const dialog = () => page.getByRole('dialog')

describe('OBS beside a channel', () => {
  it('is set up for this channel and started by one press', async () => {
    const { client } = await show(connected)
    await button(words.goLive).click()
    await expect.poll(() => client.inputs('obs.goLive')).toEqual([{ ...at, instead: false }])
    expect(dialog().query()).toBeNull()
  })

  it('asks before it is stopped', async () => {
    const { client } = await show(here)
    await button(words.stopAsk).click()
    await expect.element(dialog()).toMatchTextContent(`The broadcast on ${one.name} ends`)
    expect(client.inputs('obs.stop')).toEqual([])
    await dialog().getByRole('button', { name: words.stop }).click()
    await expect.poll(() => client.inputs('obs.stop').length).toBe(1)
  })

  it('asks before a stream to another place is replaced', async () => {
    const { client } = await show(elsewhere)
    await button(words.goLiveAsk).click()
    await expect.element(dialog()).toMatchTextContent(words.insteadTitle)
    expect(client.inputs('obs.goLive')).toEqual([])
    await dialog().getByRole('button', { name: words.instead }).click()
    await expect.poll(() => client.inputs('obs.goLive')).toEqual([{ ...at, instead: true }])
  })

  it('asks as well where it turns out only then that OBS streams to another place', async () => {
    await show(connected, { answers: { 'obs.goLive': () => ({ outcome: 'busyElsewhere', code: null }) } })
    await button(words.goLive).click()
    await expect.element(dialog()).toMatchTextContent(words.insteadTitle)
  })

  it('cannot be started while the service is down, and says why', async () => {
    const { client, tell } = await show(connected)
    await tell(service('restarting'))
    await expect.element(button(words.goLive)).toHaveAttribute('title', en.blocker.down)
    await button(words.goLive).click({ force: true })
    expect(client.inputs('obs.goLive')).toEqual([])
  })

  it('cannot be started for a disabled channel, and says why', async () => {
    const { client } = await show(connected, { disabled: true })
    await expect.element(button(words.goLive)).toHaveAttribute('title', words.disabled)
    await button(words.goLive).click({ force: true })
    expect(client.inputs('obs.goLive')).toEqual([])
  })

  it.each([
    ['off', connected, words.idle],
    ['here', here, words.here],
    ['to another channel', { ...here, target: { ...at, cid: other.cid } }, `OBS streams to ${other.name}.`],
    ['somewhere else', elsewhere, words.elsewhere],
    ['starting', { ...here, streaming: 'starting' }, words.starting],
    ['stopping', { ...here, streaming: 'stopping' }, words.stopping],
    ['reconnecting', { ...here, streaming: 'reconnecting' }, words.reconnecting],
  ] as const)('says what OBS does: %s', async (_case, obs, says) => {
    await show(obs)
    await expect.element(page.getByText(says)).toBeVisible()
  })

  it.each(
    (['absent', 'slow', 'foreign', 'version', 'flood', 'keychain'] as const).flatMap((reason) =>
      (['en', 'zh'] as const).map((language) => [reason, language] as const),
    ),
  )('says why there is no connection: %s, in %s, and tries again on request', async (reason, language) => {
    const { client } = await show({ ...off, enabled: true, phase: 'failed', reason }, { language })
    await expect.element(page.getByRole('status').first()).toBeVisible()
    await button((language === 'zh' ? obsZh : obsEn).obs.tryNow).click()
    await expect.poll(() => client.inputs('obs.connect').length).toBe(1)
  })

  it('asks for the password where OBS did not take it', async () => {
    await show({ ...off, enabled: true, phase: 'refused', reason: 'password' })
    await button(words.enter).click()
    await expect.element(dialog()).toMatchTextContent(words.formTitle)
  })

  it('connects with what was entered', async () => {
    const { client } = await show(off, { answers: { 'obs.configure': () => connected } })
    await button(words.connectAsk).click()
    await dialog().getByLabelText(words.host).fill('192.168.1.20')
    await dialog().getByLabelText(words.password).fill('secret')
    await dialog().getByRole('button', { name: words.connect }).click()
    await expect
      .poll(() => client.inputs('obs.configure'))
      .toEqual([{ host: '192.168.1.20', port: 4455, enabled: true, password: 'secret' }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it.each([
    ['loopback', words.outcome.loopback],
    ['slow', words.outcome.slow],
    ['notStarted', words.outcome.notStarted],
  ] as const)('says what went wrong: %s', async (outcome, says) => {
    await show(connected, { answers: { 'obs.goLive': () => ({ outcome, code: null }) } })
    await button(words.goLive).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(says)
  })
})
