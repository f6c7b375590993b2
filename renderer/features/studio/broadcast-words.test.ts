import { describe, expect, it } from 'vitest'
import { spoken } from '../../format/languages.ts'
import { studioWords } from './words.ts'
import { createLanguages } from '../../locales/i18n.ts'
import { broadcastWords } from './broadcast-words.ts'
import type { LogLine } from '../channels/live.ts'

const studioEn = spoken(studioWords, 'en')

const kinds = Object.keys(studioEn.log).filter(
  (key) => !/^(title|last|empty|hosted|remedy|serviceStart|lost|end|targetWhy|targetSaid)$/.test(key),
) as LogLine['kind'][]
const remedies = [null, 'something new', ...Object.keys(studioEn.log.remedy)]
/** What the service says beside a line; of a wrong key it gives the same advice as the screen. */
const details = [null, 'the key is wrong: copy it again']

describe.each(['en', 'zh'] as const)('a line of the log of a broadcast in %s', async (language) => {
  const { plugin, words } = createLanguages()
  await words.need(['studio'])
  await words.speak(language)
  const { t, te } = plugin.global
  const say = (line: Omit<LogLine, 'at'>) => broadcastWords({ at: 0, ...line }, { t, te })

  it('says each thing once: what to do stands there in one wording', () => {
    expect(kinds.length).toBeGreaterThan(14)
    for (const kind of kinds)
      for (const remedy of remedies)
        for (const detail of details) {
          const { said, more, remedy: next } = say({ kind, detail, remedy })
          if (kind === 'refused' && next !== '') expect(more, `${kind} ${remedy}`).toBe('')
          if (more !== '') expect(said).not.toContain(more)
        }
    expect(say({ kind: 'refused', detail: details[1]!, remedy: 'key' })).toMatchObject({
      more: '',
      remedy: t('log.remedy.key'),
    })
    // Of a reason that the screen has no sentence for, that of the service stands there.
    expect(say({ kind: 'refused', detail: details[1]!, remedy: 'something new' })).toMatchObject({
      more: details[1]!,
      remedy: '',
    })
  })

  it('says of a lost encoder that it was lost, and of one that stopped that it did, in its own language', () => {
    const ended = (detail: string) => say({ kind: 'ended', detail, remedy: null })
    expect(ended('lost')).toEqual({ said: t('log.lost'), more: '', remedy: '' })
    expect(ended('silent')).toEqual({ said: t('log.lost'), more: t('log.end.silent'), remedy: '' })
    expect(ended('node')).toEqual({ said: t('log.lost'), more: t('log.end.node'), remedy: '' })
    expect(ended('stopped')).toEqual({ said: t('log.ended'), more: t('log.end.stopped'), remedy: '' })
    for (const why of ['disabled', 'deleted', 'codec', 'closing'] as const)
      expect(ended(why)).toEqual({ said: t('log.ended'), more: t(`log.end.${why}`), remedy: '' })
    expect(say({ kind: 'replaced', detail: 'replaced', remedy: null })).toEqual({
      said: t('log.replaced'),
      more: '',
      remedy: '',
    })
    expect(ended('something new')).toEqual({ said: t('log.ended'), more: 'something new', remedy: '' })
  })

  it('says of a hold that is over when viewers see that, where they are behind', () => {
    const over = { kind: 'holdEnded', detail: '24', remedy: null } as const
    expect(say(over).said).toBe(t('log.holdEnded', { detail: '24' }))
    expect(say({ ...over, later: 25 })).toEqual({
      said: t('log.holdEndedLater', { detail: '24', n: 25 }),
      more: '',
      remedy: '',
    })
  })

  it('says of a target what its server answered, and does not name the key or a connection that was not there', () => {
    const of = (kind: 'targetRetrying' | 'targetRefused', remedy: string, answer: string | null = null) =>
      say({ kind, detail: 'Campus', remedy, answer })
    expect(of('targetRefused', 'refused', 'Already publishing')).toEqual({
      said: t('log.targetRefused', { detail: 'Campus' }),
      more: t('log.targetSaid', { answer: 'Already publishing' }),
      remedy: '',
    })
    for (const reason of ['unreachable', 'closed', 'refused'])
      expect(of('targetRetrying', reason)).toEqual({
        said: t('log.targetRetrying', { detail: 'Campus', reason: t(`log.targetWhy.${reason}`) }),
        more: '',
        remedy: '',
      })
    const said = ['unreachable', 'closed'].map((reason) => of('targetRetrying', reason).said)
    expect(said).toEqual(
      language === 'en'
        ? ['Campus: not reached, trying again', 'Campus: closed by the server, trying again']
        : ['Campus：无法连接，正在重试', 'Campus：被服务器断开，正在重试'],
    )
    expect(of('targetRefused', 'refused').said).toBe(
      language === 'en' ? 'Campus refused the push' : 'Campus 拒绝了推流',
    )
  })

  it('counts restarts from 1, and does not count one by hand', () => {
    expect(say({ kind: 'serviceRestart', detail: null, remedy: null }).said).toBe(t('log.serviceStart'))
    const end = { code: 'killed', params: { signal: 'SIGKILL' } } as const
    expect(say({ kind: 'serviceLost', detail: null, remedy: null, end })).toMatchObject({
      said: t('log.serviceLost'),
      more: t('reason.service.killed', { signal: 'SIGKILL' }),
    })
    expect(say({ kind: 'serviceRestart', detail: null, remedy: null }).said).not.toMatch(/\d/)
    expect(say({ kind: 'serviceRestart', detail: '2', remedy: null }).said).toContain('2')
  })
})
