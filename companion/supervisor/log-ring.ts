import { cutText } from '../../platform/cut-text.ts'

const keptLines = 500
const longestLine = 2_000
const masked = '…'

/** Masks push keys, tokens, signatures and `secrets`. */
function withoutSecrets(line: string, secrets: Iterable<string>): string {
  let clean = line.replace(
    /(wsSecret=|token=|"?(?:appSecret|AppSecret|CheckSum|checkSum|token|password|signKey)"?\s*[:=]\s*"?)[^"&\s,}]+/g,
    `$1${masked}`,
  )
  for (const secret of secrets) if (secret.length >= 8) clean = clean.replaceAll(secret, masked)
  return clean
}

/** Creates a ring; `secrets` is called for each line. */
export function logRing(secrets: () => Iterable<string>) {
  const kept: string[] = []
  return {
    add: (line: string) => {
      kept.push(cutText(withoutSecrets(line, secrets()), longestLine))
      if (kept.length > keptLines) kept.splice(0, kept.length - keptLines)
    },
    lines: (): string[] => [...kept],
  }
}
