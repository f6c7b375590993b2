import { describe, expect, it } from 'vitest'
import type { Pinia } from 'pinia'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import type { ObsState } from '../../../contract/rpc/index.ts'
import { makeObs } from '../../testing/fake-obs.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, service, starting } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { paletteWords } from '../frame/words-palette.ts'
import { obsWords } from './words.ts'
import ObsCard from './obs-card.vue'
import { useObs, type ObsWish } from './obs.ts'

const en = spoken({ ...frameWords, ...paletteWords }, 'en')
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

describe('the connection of the card', () => {
  const absent: ObsState = { ...off, enabled: true, phase: 'absent', reason: 'absent' }

  it.each([
    ['127.0.0.1', '127.0.0.1:4455'],
    ['::1', '[::1]:4455'],
  ])('names where OBS is looked for: %s', async (host, place) => {
    await show({ ...absent, host })
    await expect.element(page.getByText(words.reason.absent.replace('{place}', place))).toBeVisible()
    await expect.element(page.getByText(words.next.absent)).toBeVisible()
  })

  it('counts whole seconds down to the next try, and not below none', async () => {
    const { pass, tell } = await show({ ...absent, nextAttempt: began + 8_000 })
    await expect.element(page.getByText('Next try in 8 s')).toBeVisible()
    await pass(7_500)
    await expect.element(page.getByText('Next try in 1 s')).toBeVisible()
    await pass(5_000)
    await expect.element(page.getByText('Next try in 0 s')).toBeVisible()
    await tell({ type: 'obs', obs: absent })
    await expect.element(page.getByText(/^Next try in/)).not.toBeInTheDocument()
  })

  it('is being made, and then nothing can be pressed for it', async () => {
    await show({ ...off, enabled: true, phase: 'connecting' })
    await expect
      .element(page.getByRole('status'))
      .toMatchTextContent(words.connecting.replace('{place}', '127.0.0.1:4455'))
    expect([button(words.tryNow).query(), button(words.connectAsk).query()]).toEqual([null, null])
  })

  it('says what went wrong when it was tried again, and how OBS is where it was not', async () => {
    const { client } = await show(absent, {
      answers: {
        'obs.connect': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await button(words.tryNow).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    client.answer({ 'obs.connect': () => connected })
    await button(words.tryNow).click()
    await expect.element(page.getByText(words.idle)).toBeVisible()
    expect(page.getByRole('alert').query()).toBeNull()
  })

  it.each([
    ['no notice where all is here', {}, false, false],
    ['a password that ends with the app', { password: 'session' }, true, false],
    ['OBS on another computer', { beyond: true }, false, true],
    ['OBS on another computer that is not wished', { beyond: true, enabled: false, phase: 'off' }, false, false],
  ] as const)('says what is to be known of it: %s', async (_case, change, isSession, isBeyond) => {
    await show({ ...connected, ...change })
    await expect.element(page.getByRole('heading', { name: starting(words.title) })).toBeVisible()
    const seen = [words.session, words.beyond].map((text) => page.getByText(text).query() !== null)
    expect(seen).toEqual([isSession, isBeyond])
  })

  it('has the version of OBS, and its figures only while there is a connection', async () => {
    const { tell } = await show(makeObs('idle', began))
    await expect.element(page.getByText('30.2.3')).toBeVisible()
    await expect.element(page.getByText(words.figure.fps)).toBeVisible()
    await tell({ type: 'obs', obs: { ...makeObs('absent', began), statistics: makeObs('idle', began).statistics } })
    await expect.element(page.getByText(words.figure.fps)).not.toBeInTheDocument()
  })

  it('is turned off from its form, which is then closed', async () => {
    const { client } = await show(
      { ...connected, host: 'studio-pc', port: 4460, password: 'keychain' },
      {
        answers: { 'obs.configure': () => off },
      },
    )
    await button(en.palette.obsConnection).click()
    await dialog().getByRole('button', { name: words.off }).click()
    await expect.poll(() => client.inputs('obs.configure')).toEqual([{ host: 'studio-pc', port: 4460, enabled: false }])
    await expect.element(dialog()).not.toBeInTheDocument()
    await expect.element(page.getByText(words.lead)).toBeVisible()
  })

  it('that did not come at the first try is not tried again once its form is cancelled', async () => {
    const { client } = await show(off, {
      answers: { 'obs.configure': ({ enabled }) => (enabled ? { ...absent, host: 'studio-pc' } : off) },
    })
    await button(words.connectAsk).click()
    await dialog().getByLabelText(words.host).fill('studio-pc')
    await dialog().getByRole('button', { name: words.connect }).click()
    await expect
      .element(dialog().getByRole('alert'))
      .toMatchTextContent(words.reason.absent.replace('{place}', 'studio-pc:4455'))
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('obs.configure')).toEqual([
      { host: 'studio-pc', port: 4455, enabled: true },
      { host: 'studio-pc', port: 4455, enabled: false },
    ])
  })

  it('that was wished before stays so when its form is cancelled', async () => {
    const { client } = await show(absent)
    await button(en.palette.obsConnection).click()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('obs.configure')).toEqual([])
  })

  it('is made without the password where it is to be forgotten', async () => {
    const { client } = await show(
      { ...absent, password: 'keychain' },
      { answers: { 'obs.configure': () => connected } },
    )
    await button(en.palette.obsConnection).click()
    await dialog().getByRole('button', { name: words.forget }).click()
    await expect
      .poll(() => client.inputs('obs.configure'))
      .toEqual([{ host: '127.0.0.1', port: 4455, enabled: true, password: null }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('says in the form, and only there, why it could not be stored', async () => {
    await show(off, {
      answers: {
        'obs.configure': () => {
          throw failed({ kind: 'readOnly' })
        },
      },
    })
    await button(words.connectAsk).click()
    await dialog().getByRole('button', { name: words.connect }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent(en.failure.readOnly.sentence)
    expect(page.getByRole('alert').elements().length).toBe(1)
  })
})

describe('a command for OBS from the palette', () => {
  const wish = (what: ObsWish) => ({
    before: (pinia: Pinia) => {
      useObs(pinia).wish = what
    },
  })

  it.each(['connection', 'goLive', 'stop'] as const)(
    'asks for the connection where there is none: %s',
    async (what) => {
      const { client, pinia } = await show(off, wish(what))
      await expect.element(dialog()).toMatchTextContent(words.formTitle)
      expect(useObs(pinia).wish).toBeNull()
      expect(client.inputs('obs.goLive')).toEqual([])
    },
  )

  it('shows the connection where there is one', async () => {
    await show(connected, wish('connection'))
    await expect.element(dialog()).toMatchTextContent(words.formTitle)
  })

  it('starts at once', async () => {
    const { client } = await show(connected, wish('goLive'))
    await expect.poll(() => client.inputs('obs.goLive')).toEqual([{ ...at, instead: false }])
    expect(dialog().query()).toBeNull()
  })

  it('asks before it stops what streams here', async () => {
    const { client } = await show(here, wish('stop'))
    await expect.element(dialog()).toMatchTextContent(words.stopTitle)
    expect(client.inputs('obs.stop')).toEqual([])
  })

  it('asks nothing where there is nothing to be stopped', async () => {
    const { client, pinia } = await show(connected, wish('stop'))
    await expect.poll(() => useObs(pinia).wish).toBeNull()
    expect([dialog().query(), client.inputs('obs.stop')]).toEqual([null, []])
  })

  it('starts nothing for a disabled channel', async () => {
    const { client, pinia } = await show(connected, { ...wish('goLive'), disabled: true })
    await expect.poll(() => useObs(pinia).wish).toBeNull()
    expect(client.inputs('obs.goLive')).toEqual([])
  })

  it('waits until it is known how OBS is', async () => {
    const { client, pinia, tell } = await show(connected, { ...wish('goLive'), events: [] })
    expect([useObs(pinia).wish, client.inputs('obs.goLive')]).toEqual(['goLive', []])
    await tell({ type: 'obs', obs: connected })
    await expect.poll(() => client.inputs('obs.goLive').length).toBe(1)
  })
})

describe('what OBS refused', () => {
  it.each([
    [204, words.rejected.unknown],
    [501, words.rejected.stopped],
    [null, words.rejected.other],
  ])('is said with its code where there is one: %s', async (code, says) => {
    await show(connected, { answers: { 'obs.goLive': () => ({ outcome: 'rejected', code }) } })
    await button(words.goLive).click()
    const alert = page.getByRole('alert')
    await expect.element(alert).toMatchTextContent(says)
    expect(alert.element().textContent.includes('OBS code')).toBe(code !== null)
    if (code !== null) await expect.element(alert).toMatchTextContent(`OBS code ${code}`)
  })

  it('is no longer said for another channel', async () => {
    const cid = ref(one.cid)
    const props = { profileId: 'local', name: one.name, disabled: false }
    await mounted(
      { render: () => h(ObsCard, { ...props, cid: cid.value }) },
      {
        channels: [one, other],
        events: [{ type: 'obs', obs: connected }],
        answers: { 'obs.goLive': () => ({ outcome: 'notStarted', code: null }) },
      },
    )
    await button(words.goLive).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.outcome.notStarted)
    cid.value = other.cid
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it.each(['done', 'already'] as const)('is nothing: %s', async (outcome) => {
    const { client } = await show(connected, { answers: { 'obs.goLive': () => ({ outcome, code: null }) } })
    await button(words.goLive).click()
    await expect.poll(() => client.inputs('obs.goLive').length).toBe(1)
    expect(page.getByRole('alert').query()).toBeNull()
  })

  it('after the question is said beside the channel, and the question is closed', async () => {
    await show(elsewhere, { answers: { 'obs.goLive': () => ({ outcome: 'slow', code: null }) } })
    await button(words.goLiveAsk).click()
    await dialog().getByRole('button', { name: words.instead }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.outcome.slow)
  })

  it('stays in the question where the call itself failed', async () => {
    await show(elsewhere, {
      answers: {
        'obs.goLive': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await button(words.goLiveAsk).click()
    await dialog().getByRole('button', { name: words.instead }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    expect(page.getByRole('alert').elements().length).toBe(1)
  })

  it('is not said in the question about something else', async () => {
    const { tell } = await show(connected, {
      answers: {
        'obs.goLive': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await button(words.goLive).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    await tell({ type: 'obs', obs: here })
    await button(words.stopAsk).click()
    await expect.element(dialog()).toMatchTextContent(words.stopTitle)
    expect(page.getByRole('alert').query()).toBeNull()
  })
})

describe('the stop of OBS', () => {
  it.each([
    ['here', here, words.stopBody],
    ['elsewhere', elsewhere, words.stopElsewhere],
    ['to another channel', { ...here, target: { ...at, cid: other.cid } }, words.stopElsewhere],
  ] as const)('says whose broadcast ends: %s', async (_case, obs, body) => {
    await show(obs)
    await button(words.stopAsk).click()
    await expect.element(dialog()).toMatchTextContent(body.replace('{name}', one.name))
  })

  it('says what became of it beside the channel', async () => {
    await show(here, { answers: { 'obs.stop': () => ({ outcome: 'notConnected', code: null }) } })
    await button(words.stopAsk).click()
    await dialog().getByRole('button', { name: words.stop }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.outcome.notConnected)
  })

  it('is not asked for where OBS does not stream, nor a start where it streams here', async () => {
    const { tell } = await show(connected)
    await expect.element(page.getByText(words.replaces)).toBeVisible()
    expect(button(words.stopAsk).query()).toBeNull()
    await tell({ type: 'obs', obs: here })
    await expect.element(button(words.stopAsk)).toBeVisible()
    expect([button(words.goLive).query(), page.getByText(words.replaces).query()]).toEqual([null, null])
  })
})
