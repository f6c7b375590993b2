import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { began, channel, mounted, service, tallies, tally, type MountOptions } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { studioWords } from '../studio/words.ts'
import PreviewCover from './preview-cover.vue'

const en = spoken(frameWords, 'en')
const studioEn = spoken(studioWords, 'en')
const studioZh = spoken(studioWords, 'zh')

const { preview: words } = studioEn
const show = (props: Readonly<Record<string, unknown>>, options: MountOptions = {}) =>
  mounted(PreviewCover, { props: { kind: 'flv', stoppedAt: null, ...props }, ...options })
const lines = () => [...document.querySelectorAll('.cover > p')].map(({ textContent }) => textContent)
/** 08:00 UTC is 16:00 where the service is. */
const time = '16:00:00'

describe('the cover of a picture', () => {
  it.each([
    ['idle', words.idle, words.idleNext],
    ['disabled', words.disabled, words.disabledNext],
    ['waiting', words.waiting, words.waitingNext],
    ['paused', words.paused, words.pausedNext],
    ['silent', words.silent, words.silentNext],
    ['absent', words.absent.replace('{kind}', 'HLS'), words.absentNext],
    ['down', en.service.restarting, words.stoppedService],
  ])('says what there is and what follows: %s', async (state, says, next) => {
    await show({ state, kind: 'hls' })
    await expect.poll(lines).toEqual([says, next])
    await expect.element(page.getByRole('status')).toBeVisible()
  })

  it('says only that the picture is being loaded', async () => {
    await show({ state: 'opening' })
    await expect.poll(lines).toEqual([words.opening])
  })

  it('is not there over a picture that plays', async () => {
    await show({ state: 'none' })
    expect(page.getByRole('status').query()).toBeNull()
  })

  it('does not say that nothing is on air while that is not known', async () => {
    const one = channel(1)
    const { tell } = await show({ state: 'idle' }, { channels: [one] })
    await tell({ ...tallies([tally(one)]), fault: 'lost' } as Parameters<typeof tell>[0])
    await expect.poll(lines).toEqual([words.unknown, words.unknownNext])
  })

  it('says when the picture stopped, in the time zone of the service, and that it comes back', async () => {
    await show({ state: 'stopped', stoppedAt: began })
    await expect.poll(lines).toEqual([words.stopped.replace('{time}', time), words.stoppedNext])
  })

  it('says of a broadcast that ended when it did, and not that it comes back', async () => {
    await show({ state: 'stopped', stoppedAt: began, ended: true })
    await expect.poll(lines).toEqual([words.ended.replace('{time}', time), words.idleNext])
  })

  it('says that the line or the service is missing, and then not that the broadcast ended', async () => {
    const { tell, lose } = await show({ state: 'stopped', stoppedAt: began, ended: true })
    await tell(service('restarting'))
    await expect.poll(lines).toEqual([words.stopped.replace('{time}', time), words.stoppedService])
    await lose()
    await expect.poll(lines).toEqual([words.stopped.replace('{time}', time), words.stoppedLine])
  })

  it('has its words in Chinese', async () => {
    await show({ state: 'paused' }, { language: 'zh' })
    await expect.poll(lines).toEqual([studioZh.preview.paused, studioZh.preview.pausedNext])
  })
})
