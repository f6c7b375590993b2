import { expect, it } from 'vitest'
import { DiskFault } from '../platform/disk-fault.ts'
import { showStartFault } from './start-fault.ts'

const kinds = ['full', 'readOnly', 'denied', 'broken', 'notAFolder', 'absent'] as const

it.each(['en-GB', 'zh-CN'])('a start that the disk refuses is told in a box with what to do, in %s', (language) => {
  const said = kinds.map((kind) => {
    const shown: string[] = []
    showStartFault(new DiskFault(kind, '/data/here', new Error('SQLITE_FULL')), {
      language,
      box: (...texts) => shown.push(...texts),
    })
    const [title = '', text = ''] = shown
    expect(title).toContain('Sidestage')
    expect(text).toContain('/data/here')
    expect(text).not.toContain('SQLITE')
    expect(/[\u4e00-\u9fff]/.test(text)).toBe(language === 'zh-CN')
    return text
  })
  expect(new Set(said).size).toBe(kinds.length)
})

it('any other reason is told as it is', () => {
  const shown: string[] = []
  showStartFault(new Error('there is no page'), { language: 'en', box: (...texts) => shown.push(...texts) })
  expect(shown.join(' ')).toContain('there is no page')
})
