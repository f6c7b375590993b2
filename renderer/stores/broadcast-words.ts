import type { LogLine } from './live.ts'

/** What says a message of the page's language, and whether there is one. */
export interface Words {
  readonly t: (key: string, named?: Readonly<Record<string, string>>) => string
  readonly te: (key: string) => boolean
}

/** A line of the log of a broadcast in words: what happened, the service's own words where no sentence of ours says the same, and what to do. */
export function broadcastWords(line: LogLine, { t, te }: Words): { readonly said: string; readonly more: string; readonly remedy: string } {
  const remedy = line.remedy !== null && te(`log.remedy.${line.remedy}`) ? t(`log.remedy.${line.remedy}`) : ''
  const tells = (line.kind === 'refused' && remedy === '') || line.kind === 'ended' || line.kind === 'serviceLost' || line.kind === 'replaced'
  const key = line.kind === 'serviceRestart' && line.detail === null ? 'serviceStart' : line.kind
  const detail = line.kind === 'stalled' ? (Number(line.detail) / 1_000).toFixed(1) : (line.detail ?? '')
  return { said: t(`log.${key}`, { detail }), more: tells ? (line.detail ?? '') : '', remedy }
}
