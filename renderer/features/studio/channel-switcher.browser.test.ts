import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { channel, mounted, service } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { studioWords } from './words.ts'
import ChannelSwitcher from './channel-switcher.vue'

const en = spoken(frameWords, 'en')
const studioEn = spoken(studioWords, 'en')

const live = channel(1, { status: 3 })
const armed = channel(2, { needRecord: true })
const disabled = channel(3, { status: 2 })
const show = (props: object = { cid: live.cid, name: live.name }, channels = [disabled, armed, live]) =>
  mounted(ChannelSwitcher, { props: { ...props }, channels })
const item = (name: string) => page.getByRole('menuitemcheckbox', { name: new RegExp(name) })

describe('the choice of a channel in the Studio', () => {
  it('has name, lamp and id of the channel that is shown', async () => {
    const { tell } = await show()
    await expect.element(page.getByRole('heading')).toHaveTextContent(live.name)
    await expect.element(page.getByText(en.tally.recording)).toBeVisible()
    await expect.element(page.getByText(live.cid.slice(0, 8), { exact: false })).toBeVisible()
    await tell(service('restarting'))
    await expect.element(page.getByText(en.tally.fault)).toBeVisible()
  })

  it('has the name of the screen while there is no channel, and nothing to choose', async () => {
    await show({ cid: null, name: null }, [])
    await expect.element(page.getByRole('heading')).toHaveTextContent(en.nav.studio)
    expect(page.getByRole('button').query()).toBeNull()
  })

  it('lists all channels, what is on air first, with their states, and opens the one that is pressed', async () => {
    const { router } = await show()
    await page.getByRole('button', { name: studioEn.studio.switch }).click()
    await expect.element(item(live.name)).toHaveAttribute('aria-checked', 'true')
    await expect.element(item(armed.name)).toHaveAttribute('aria-checked', 'false')
    expect(
      [...document.querySelectorAll('[role=menuitemcheckbox]')].map(
        (each) => each.querySelector('[role=img]')?.ariaLabel,
      ),
    ).toEqual([en.tally.live, en.tally.armed, en.tally.disabled])
    await item(armed.name).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${armed.cid}`)
  })
})
