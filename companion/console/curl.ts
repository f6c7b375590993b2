import type { Operation } from '../../contract/operation.ts'

/** One word of a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const formText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The call as commands for curl and openssl, which sign it from APP_KEY and APP_SECRET. */
export function curlOf(operation: Operation, url: URL, parameters: unknown): string {
  const given = Object.entries(parameters as Record<string, unknown>)
  const field = (flag: string, name: string, value: unknown): string =>
    `  ${flag} ${quote(`${name}=${formText(value)}`)}`
  const data =
    operation.encoding === 'json'
      ? [
          `  -H ${quote('Content-Type: application/json;charset=utf-8')}`,
          `  --data-raw ${quote(JSON.stringify(parameters))}`,
        ]
      : operation.encoding === 'multipart'
        ? given.map(([name, value]) => (name === 'content' ? `  -F 'content=@FILE'` : field('-F', name, value)))
        : given.map(([name, value]) => field('--data-urlencode', name, value))
  return [
    'NONCE=$(openssl rand -hex 16); CURTIME=$(date +%s)',
    `CHECKSUM=$(printf '%s' "$APP_SECRET$NONCE$CURTIME" | openssl dgst -sha1 -r | cut -d' ' -f1)`,
    [
      `curl -sS -X POST ${quote(url.href)}`,
      '  -H "AppKey: $APP_KEY" -H "Nonce: $NONCE" -H "CurTime: $CURTIME" -H "CheckSum: $CHECKSUM"',
      ...data,
    ].join(' \\\n'),
  ].join('\n')
}
