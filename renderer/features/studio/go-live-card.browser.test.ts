import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { channel, mounted, withProps } from '../../testing/mounted.ts'
import { useDialogs } from '../channels/dialogs.ts'
import type { Check } from './go-live.ts'
import GoLiveCard from './go-live-card.vue'
import { spoken } from '../../format/languages.ts'
import { studioWords } from './words.ts'
import { healthWords } from './words-health.ts'

const studioEn = spoken(studioWords, 'en')
const healthEn = spoken(healthWords, 'en')

const { goLive } = healthEn
const one = channel(1)
const check = (name: Check['name'], state: Check['state'], says: string, aside: Check['aside'] = null): Check =>
  ({ name, state, says, aside, named: {} }) as Check
const show = (checks: readonly Check[]) =>
  mounted(withProps(GoLiveCard, { checks, profileId: 'local', channel: one }), { channels: [one] })
const count = () => document.querySelector('[data-figure=checks]')?.textContent
const item = (name: string) => document.querySelector<HTMLElement>(`[data-of=${name}]`)

describe('the card of the go-live check', () => {
  it('counts what is in order, with the time of each line', async () => {
    await show([
      check('service', 'ok', 'ok', { text: 'api' }),
      check('accepted', 'ok', 'ok', { at: Date.UTC(2026, 10, 26, 8, 0, 5) }),
      check('keyFrame', 'ok', 'ok', { after: 1_234 }),
      check('codecs', 'wait', 'wait'),
    ] as const)
    expect(count()).toBe(studioEn.check.count.replace('{ok}', '3').replace('{all}', '4'))
    expect(item('service')?.textContent).toContain('api')
    expect(item('accepted')?.textContent).toContain('16:00:05')
    expect(item('keyFrame')?.textContent).toContain('+1.2 s')
    expect(item('codecs')?.textContent).toContain(studioEn.check.waiting)
  })

  it('counts faults before all else', async () => {
    await show([
      check('service', 'fault', 'fault'),
      check('accepted', 'fault', 'expired'),
      check('codecs', 'wait', 'wait'),
    ])
    expect(count()).toBe('2 faults')
    expect(item('service')?.textContent).toContain(studioEn.check.service.fault)
  })

  it('opens the whole check on request, and as the palette asks for it, once', async () => {
    const { pinia } = await mounted(withProps(GoLiveCard, { checks: [], profileId: 'local', channel: one }), {
      channels: [one],
      before: (stores) => {
        useDialogs(stores).goLiveAsked = true
      },
      answers: {
        'profiles.test': () => ({ channels: 1, milliseconds: 1 }),
        'push.card': () => ({ server: '', keyStart: '', keyEnd: '', expires: null }),
        'rooms.linked': () => ({ roomid: null }),
        'recordings.state': () => null,
      },
    })
    const dialog = page.getByRole('dialog')
    await expect.element(dialog).toHaveAccessibleName(goLive.title)
    expect(useDialogs(pinia).goLiveAsked).toBe(false)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect.element(dialog).not.toBeInTheDocument()
    await page.getByRole('button', { name: goLive.run }).click()
    await expect.element(dialog).toBeVisible()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect.element(dialog).not.toBeInTheDocument()
    await userEvent.keyboard('{Alt>}g{/Alt}')
    await expect.element(dialog).toBeVisible()
  })
  it.each(['the button below', 'the button above', 'Escape'])(
    'gives the focus back to the button that opened the check, closed by %s',
    async (way) => {
      await mounted(withProps(GoLiveCard, { checks: [], profileId: 'local', channel: one }), {
        channels: [one],
        answers: {
          'profiles.test': () => ({ channels: 1, milliseconds: 1 }),
          'push.card': () => ({ server: '', keyStart: '', keyEnd: '', expires: null }),
          'rooms.linked': () => ({ roomid: null }),
          'recordings.state': () => null,
        },
      })
      const dialog = page.getByRole('dialog')
      const opener = page.getByRole('button', { name: goLive.run })
      // The first time it is loaded meanwhile.
      for (let time = 0; time < 2; time++) {
        await opener.click()
        await expect.element(dialog).toBeVisible()
        const closing = dialog.getByRole('button', { name: 'Close' })
        if (way === 'Escape') await userEvent.keyboard('{Escape}')
        else await (way === 'the button below' ? closing.last() : closing.first()).click()
        await expect.element(dialog).not.toBeInTheDocument()
        await expect.element(opener).toHaveFocus()
      }
    },
  )
})
