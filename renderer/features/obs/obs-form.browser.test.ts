import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { defineComponent, h } from 'vue'
import type { ObsState } from '../../../contract/rpc/index.ts'
import type { Failure } from '../../data/failure.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { mounted, type MountOptions } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import ObsForm from './obs-form.vue'
import { obsWords } from './words.ts'

const { word, failure: failureWords } = spoken(frameWords, 'en')
const { obs: words } = spoken(obsWords, 'en')
const usual: ObsState = {
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
const show = async (
  change: Partial<ObsState> = {},
  busy = false,
  failure: Failure | null = null,
  options: MountOptions = {},
) => {
  const told: unknown[][] = []
  const note =
    (name: string) =>
    (...what: unknown[]): void => {
      told.push([name, ...what])
    }
  const form = defineComponent(
    () => () =>
      h(ObsForm, {
        state: { ...usual, ...change },
        busy,
        failure,
        onSave: note('save'),
        onForget: note('forget'),
        onOff: note('off'),
        onCancel: note('cancel'),
      }),
  )
  await mounted(form, options)
  return told
}
const field = (name: string) => page.getByRole('textbox', { name })
const password = () => page.getByLabelText(words.password)
const button = (name: string) => page.getByRole('button', { name })

describe('the form of the connection to OBS', () => {
  it('says that a password is kept, and offers to forget it, for the host that it was kept for only', async () => {
    const told = await show({ password: 'keychain' })
    await expect.element(page.getByText(words.passwordKept)).toBeVisible()
    await button(words.forget).click()
    expect(told).toEqual([['forget', { host: '127.0.0.1', port: '4455', password: '' }]])
    await field(words.host).fill('192.168.1.20')
    await expect.element(page.getByText(words.passwordKept)).not.toBeInTheDocument()
    expect(button(words.forget).query()).toBeNull()
    await field(words.host).fill('127.0.0.1')
    await expect.element(button(words.forget)).toBeVisible()
  })

  it('is sent trimmed, with Enter as well', async () => {
    const told = await show()
    await field(words.host).fill(' 192.168.1.20 ')
    await field(words.port).fill(' 4460')
    await password().fill('secret')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([['save', { host: '192.168.1.20', port: '4460', password: 'secret' }]])
  })

  it('is not sent with a host or a port that cannot be one, and says which', async () => {
    const told = await show({ password: 'keychain' })
    await field(words.port).fill('70000')
    await expect.element(page.getByText(words.portFault)).toBeVisible()
    await expect.element(button(words.forget)).toBeDisabled()
    await userEvent.keyboard('{Enter}')
    await field(words.port).fill('4455')
    await field(words.host).fill('a b')
    await expect.element(page.getByText(words.hostFault)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([])
  })

  it('is not sent again while OBS is asked', async () => {
    const told = await show({ enabled: true, password: 'keychain' }, true)
    await field(words.host).click()
    await userEvent.keyboard('{Enter}')
    await expect.element(button(words.giveUp)).toBeDisabled()
    await expect.element(button(words.forget)).toBeDisabled()
    expect(told).toEqual([])
  })

  it('warns of another computer, to which the password goes over the network', async () => {
    await show()
    expect(page.getByText(words.beyond).query()).toBeNull()
    await field(words.host).fill('192.168.1.20')
    await expect.element(page.getByText(words.beyond)).toBeVisible()
    await field(words.host).fill('localhost')
    await expect.element(page.getByText(words.beyond)).not.toBeInTheDocument()
  })

  it('ends a connection', async () => {
    const ended = await show({ phase: 'connected', enabled: true })
    await button(words.off).click()
    expect(ended).toEqual([['off']])
  })

  it('gives up a connection that did not come, and is left by Cancel', async () => {
    const told = await show({ phase: 'absent', enabled: true, reason: 'absent' })
    await button(words.giveUp).click()
    await button(word.cancel).click()
    expect(told).toEqual([['off'], ['cancel']])
  })

  it('offers no end of a connection that is not wished', async () => {
    await show()
    expect([button(words.off).query(), button(words.giveUp).query()]).toEqual([null, null])
  })

  it.each([
    ['refused', 'password', true],
    ['refused', 'noPassword', true],
    ['absent', 'absent', true],
    ['failed', 'version', true],
    ['connecting', 'absent', false],
    ['connected', null, false],
  ] as const)('says why there is no connection, and what to do: %s, %s', async (phase, reason, isSaid) => {
    await show({ phase, reason, enabled: true })
    await expect.element(field(words.host)).toBeVisible()
    const alert = page.getByRole('alert')
    expect(alert.query() !== null).toBe(isSaid)
    if (!isSaid || reason === null) return
    await expect.element(alert).toMatchTextContent(words.reason[reason].replace('{place}', '127.0.0.1:4455'))
    await expect.element(alert).toMatchTextContent(words.next[reason])
  })

  it.each([
    ['is not wished', { phase: 'failed', reason: 'slow', enabled: false }, false],
    ['is asked for again', { phase: 'failed', reason: 'slow', enabled: true }, true],
  ] as const)('says no earlier reason of a connection that %s', async (_case, change, busy) => {
    await show(change, busy)
    await expect.element(field(words.host)).toBeVisible()
    expect(page.getByRole('alert').query()).toBeNull()
  })

  it.each([
    ['refused', true],
    ['absent', false],
  ] as const)('begins in the password only where OBS did not take it: %s', async (phase, isThere) => {
    await show({ phase, reason: phase === 'refused' ? 'password' : 'absent', enabled: true })
    await expect.element(password()).toBeVisible()
    await expect.poll(() => document.activeElement === password().element()).toBe(isThere)
  })

  it('says where the password is kept', async () => {
    await show()
    await expect.element(page.getByText(words.passwordNone)).toBeVisible()
    expect(page.getByText(words.passwordNoneSession).query()).toBeNull()
  })

  it('says that the password is kept until the app ends where there is no keychain', async () => {
    const profiles = makeProfiles('full').map((each) =>
      each.kind === 'local' ? { ...each, secret: 'session' as const } : each,
    )
    await show({}, false, null, { profiles })
    await expect.element(page.getByText(words.passwordNoneSession)).toBeVisible()
    expect(page.getByText(words.passwordNone).query()).toBeNull()
  })

  it('says why it could not be sent', async () => {
    await show({}, false, { kind: 'full', code: null, skewSeconds: null, detail: '' })
    await expect.element(page.getByRole('alert')).toMatchTextContent(failureWords.full.sentence)
  })
})
