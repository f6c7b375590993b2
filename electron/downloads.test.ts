import type { Session } from 'electron'
import { describe, expect, it } from 'vitest'
import { guardDownloads } from './downloads.ts'
import { DownloadDouble } from './testing/download-double.ts'
import { WebContentsDouble } from './testing/electron-double.ts'
import { SessionDouble } from './testing/session-double.ts'

const ticket = 'A'.repeat(30) + '-_'
const good = `app://sidestage/media/${ticket}/4711.mp4`

function guarded() {
  const session = new SessionDouble()
  guardDownloads(session as unknown as Session)
  const contents = new WebContentsDouble()
  contents.mainFrame.url = 'app://sidestage/'
  return { contents, start: (item: DownloadDouble, from = contents): boolean => session.downloads(item, from) }
}

describe('a download', () => {
  it('of a recorded file goes where the person says in the save dialog', () => {
    const { start } = guarded()
    const item = new DownloadDouble([good], 'LateNight_20261121.mp4')
    expect(start(item)).toBe(true)
    expect(item.dialog).toEqual({
      defaultPath: 'LateNight_20261121.mp4',
      filters: [{ name: 'MP4', extensions: ['mp4'] }],
      properties: ['createDirectory', 'showOverwriteConfirmation'],
    })
    expect(item.path).toBe('')
  })

  it('of a list that the page wrote goes where the person says, as what it is', () => {
    const { start } = guarded()
    const list = 'blob:app://sidestage/1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed'
    for (const [type, name, shown] of [
      ['text/csv', 'room-7-actions.csv', 'room-7-actions.csv'],
      ['application/json', '../room.exe', '_room.exe.json'],
      ['application/zip', 'sidestage-support-20261121-134200.zip', 'sidestage-support-20261121-134200.zip'],
    ] as const) {
      const item = new DownloadDouble([list], name, type)
      expect(start(item)).toBe(true)
      expect(item.dialog?.defaultPath).toBe(shown)
    }
    for (const type of ['', 'text/html', 'application/octet-stream', 'constructor'])
      expect(start(new DownloadDouble([list], 'x.csv', type)), type).toBe(false)
    for (const url of [
      `${list}/x`,
      list.replace('sidestage', 'evil'),
      `blob:https://evil.example/${list.slice(-36)}`,
      list.replace('blob:', 'blob:blob:'),
    ])
      expect(start(new DownloadDouble([url], 'x.csv', 'text/csv')), url).toBe(false)
  })

  it('of anything else is refused', () => {
    const { start } = guarded()
    for (const chain of [
      [],
      ['https://evil.example/x.mp4'],
      ['file:///etc/passwd'],
      ['data:text/html,x'],
      ['blob:app://sidestage/1'],
      [`app://sidestage.evil/media/${ticket}/1.mp4`],
      [`app://user@sidestage/media/${ticket}/1.mp4`],
      ['app://sidestage/index.html'],
      [`app://sidestage/media/${ticket}/${'0123456789abcdef'.repeat(2)}.flv`],
      [`app://sidestage/media/${ticket}/hls/playlist.m3u8`],
      [`app://sidestage/media/${ticket}/1.exe`],
      [`app://sidestage/media/${ticket}/01.mp4`],
      [`app://sidestage/media/${ticket}/../1.mp4`],
      [`app://sidestage/media/short/1.mp4`],
      [`${good}?x=1`],
      [`${good}#x`],
      ['https://evil.example/', good],
      [good, good],
    ])
      expect(start(new DownloadDouble(chain, 'x.mp4')), chain.join(' ')).toBe(false)
  })

  it('of a page that is not ours, or of a window that is gone, is refused', () => {
    const { contents, start } = guarded()
    contents.mainFrame.url = 'https://evil.example/'
    expect(start(new DownloadDouble([good], 'x.mp4'))).toBe(false)
    contents.mainFrame.url = 'app://sidestage/'
    contents.isGone = true
    expect(start(new DownloadDouble([good], 'x.mp4'))).toBe(false)
  })

  it('is suggested a plain name with the ending of its format, whatever the page asks for', () => {
    const { start } = guarded()
    for (const [asked, shown] of [
      ['../../.bashrc', '_.._.bashrc.mp4'],
      ['/etc/cron.d/x.mp4', '_etc_cron.d_x.mp4'],
      ['C:\\start\\x.exe', 'C__start_x.exe.mp4'],
      ['film.MP4', 'film.mp4'],
      ['film\u202egpj.exe', 'film_gpj.exe.mp4'],
      ['  ..  ', 'recording.mp4'],
      ['', 'recording.mp4'],
      ['深夜电台_20261121', '深夜电台_20261121.mp4'],
      ['x'.repeat(500), `${'x'.repeat(128)}.mp4`],
    ] as const) {
      const item = new DownloadDouble([good], asked)
      expect(start(item)).toBe(true)
      expect(item.dialog?.defaultPath).toBe(shown)
      item.emit('done', {}, 'completed')
    }
  })

  it('is one of four at once; the next begins when one of them has ended', () => {
    const { start } = guarded()
    const items = Array.from({ length: 5 }, (_, index) => new DownloadDouble([good], `${index}.mp4`))
    expect(items.map((item) => start(item))).toEqual([true, true, true, true, false])
    items[1]?.emit('done', {}, 'cancelled')
    expect(start(new DownloadDouble([good], 'next.mp4'))).toBe(true)
    expect(start(new DownloadDouble([good], 'over.mp4'))).toBe(false)
  })
})
