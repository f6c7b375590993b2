import type { Operation } from '../../contract/operation.ts'

/** One word of a POSIX shell, whatever is in it. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const formText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The call as commands of a POSIX shell with curl and openssl: it makes its own Nonce, CurTime and CheckSum from APP_KEY and APP_SECRET, so no secret is in it. */
export function curlOf(operation: Operation, url: URL, parameters: unknown): string {
  const given = Object.entries(parameters as Record<string, unknown>)
  const data =
    operation.encoding === 'json'
      ? ['-H', quote('Content-Type: application/json;charset=utf-8'), '--data-raw', quote(JSON.stringify(parameters))]
      : operation.encoding === 'multipart'
        ? given.flatMap(([name, value]) => (name === 'content' ? ['-F', quote('content=@FILE')] : ['-F', quote(`${name}=${formText(value)}`)]))
        : given.flatMap(([name, value]) => ['--data-urlencode', quote(`${name}=${formText(value)}`)])
  const words = data.reduce<string[]>(
    (lines, word, index) => (index % 2 === 0 && word.startsWith('-') ? [...lines, `  ${word}`] : [...lines.slice(0, -1), `${lines.at(-1) ?? ''} ${word}`]),
    [],
  )
  return [
    'NONCE=$(openssl rand -hex 16); CURTIME=$(date +%s)',
    `CHECKSUM=$(printf '%s' "$APP_SECRET$NONCE$CURTIME" | openssl dgst -sha1 -r | cut -d' ' -f1)`,
    [`curl -sS -X POST ${quote(url.href)}`, '  -H "AppKey: $APP_KEY" -H "Nonce: $NONCE" -H "CurTime: $CURTIME" -H "CheckSum: $CHECKSUM"', ...words].join(
      ' \\\n',
    ),
  ].join('\n')
}
