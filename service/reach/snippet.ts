import { linkPath } from '../../contract/link/frames.ts'
import { portOf } from '../public-addresses.ts'

/** What a proxy's configuration is written from. */
export interface SnippetValues {
  /** Root of the media side as people reach it. */
  readonly publicUrl: string
  /** Host and port where the proxy reaches the media side. */
  readonly target: string
  /** Signed calls, where their public address has the same scheme, name and port. */
  readonly api?: { readonly publicApi: string; readonly target: string } | undefined
  /** The client link, where its public address has the same name and port. */
  readonly publicLink?: string | undefined
  /** Own files of a certificate; places to be filled in when absent. */
  readonly certificate?: { readonly certificateFile: string; readonly keyFile: string } | undefined
}

/** A configuration and where it usually lies. */
export interface Snippet {
  readonly text: string
  readonly file: string
}

/** For how long a picture or a chat may last without a byte from either side, in s. */
const silence = 3600

/** First segments of the paths of signed calls. */
const apiPaths = ['app', 'nimserver', 'local'] as const
/** Largest body of a signed call that a proxy must take, in MiB. */
const largestCall = 48
/** The path of a public address, without a slash at its end. */
const pathOf = (address: string): string => new URL(address).pathname.replace(/\/+$/, '')
/** Paths at which the client link is served: that below the media side, and its own. */
const linkPaths = ({ publicUrl, publicLink }: SnippetValues): string[] => [
  ...new Set([`${pathOf(publicUrl)}${linkPath}`, ...(publicLink === undefined ? [] : [pathOf(publicLink)])]),
]
/** A value in nginx or Caddy; both take the same quoting. */
const quoted = (text: string): string => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`

function nginx(values: SnippetValues): Snippet {
  const { publicUrl, target, certificate, api } = values
  const url = new URL(publicUrl)
  const isTls = url.protocol === 'https:'
  const listen = `${portOf(url)}${isTls ? ' ssl' : ''}`
  const path = pathOf(publicUrl)
  const name = url.hostname
  const files = certificate ?? {
    certificateFile: `/etc/letsencrypt/live/${name}/fullchain.pem`,
    keyFile: `/etc/letsencrypt/live/${name}/privkey.pem`,
  }
  const common = (indent: string): string[] =>
    [
      'proxy_http_version 1.1;',
      'proxy_set_header Host $http_host;',
      'proxy_set_header X-Forwarded-For $remote_addr;',
      'proxy_set_header X-Forwarded-Proto $scheme;',
      'proxy_set_header X-Request-Id $request_id;',
    ].map((line) => indent + line)
  const text = [
    '# Sidestage: picture, chat and watch page.',
    'server {',
    `  listen ${listen};`,
    `  listen [::]:${listen};`,
    `  server_name ${name};`,
    ...(isTls
      ? [
          `  ssl_certificate ${quoted(files.certificateFile)};`,
          `  ssl_certificate_key ${quoted(files.keyFile)};`,
          '  ssl_protocols TLSv1.2 TLSv1.3;',
        ]
      : []),
    '',
    '  # Chat: one connection that stays open.',
    ...linkPaths(values).flatMap((at) => [
      `  location = ${at} {`,
      `    proxy_pass http://${target}${linkPath};`,
      ...common('    '),
      '    proxy_set_header Upgrade $http_upgrade;',
      '    proxy_set_header Connection upgrade;',
      `    proxy_read_timeout ${silence}s;`,
      `    proxy_send_timeout ${silence}s;`,
      '  }',
      '',
    ]),
    '  # Picture: passed on as it comes, for as long as it lasts.',
    `  location ${path}/live/ {`,
    `    proxy_pass http://${target}/live/;`,
    ...common('    '),
    '    proxy_set_header Connection "";',
    '    proxy_buffering off;',
    `    proxy_read_timeout ${silence}s;`,
    '  }',
    '',
    ...(api === undefined ? [] : ['  # Signed calls, with uploads and streams of events.']),
    ...(api === undefined ? [] : apiPaths).flatMap((first) => [
      `  location ${pathOf(api!.publicApi)}/${first}/ {`,
      `    proxy_pass http://${api!.target}/${first}/;`,
      ...common('    '),
      '    proxy_set_header Connection "";',
      '    proxy_buffering off;',
      `    proxy_read_timeout ${silence}s;`,
      `    client_max_body_size ${largestCall}m;`,
      '  }',
      '',
    ]),
    `  location ${path}/ {`,
    `    proxy_pass http://${target}/;`,
    ...common('    '),
    '    proxy_set_header Connection "";',
    '  }',
    '}',
    '',
  ]
  return { text: text.join('\n'), file: '/etc/nginx/sites-enabled/sidestage.conf' }
}

/** Signed calls in Caddy, which come before everything else. */
function calls({ publicApi, target }: NonNullable<SnippetValues['api']>): string[] {
  const path = pathOf(publicApi)
  return [
    '# Signed calls.',
    `@api path ${apiPaths.map((first) => `${path}/${first}/*`).join(' ')}`,
    'handle @api {',
    ...(path === '' ? [] : [`  uri strip_prefix ${path}`]),
    `  reverse_proxy ${target} {`,
    '    flush_interval -1',
    '  }',
    '}',
  ]
}

/** The client link in Caddy at an address of its own. */
const ownLink = (at: string, target: string): string[] => [
  '# Chat, at its own address.',
  `handle ${at} {`,
  `  rewrite * ${linkPath}`,
  `  reverse_proxy ${target}`,
  '}',
]

function caddy(values: SnippetValues): Snippet {
  const { publicUrl, target, certificate, api } = values
  const url = new URL(publicUrl)
  const path = pathOf(publicUrl)
  // An address without port gets its certificate by itself.
  const site = `${url.protocol}//${url.hostname}${url.port === '' ? '' : `:${url.port}`}`
  const lines = [
    '# Whatever comes is passed on at once; chat needs nothing of its own.',
    `reverse_proxy ${target} {`,
    '  flush_interval -1',
    '  transport http {',
    '    compression off',
    '  }',
    '}',
  ]
  const inner = path === '' ? lines : [`handle_path ${path}/* {`, ...lines.map((line) => `  ${line}`), '}']
  const text = [
    '# Sidestage: picture, chat and watch page.',
    `${site} {`,
    ...(certificate && url.protocol === 'https:'
      ? [`  tls ${quoted(certificate.certificateFile)} ${quoted(certificate.keyFile)}`]
      : []),
    '  request_header X-Request-Id {http.request.uuid}',
    ...[
      ...(api === undefined ? [] : calls(api)),
      ...linkPaths(values)
        .slice(1)
        .flatMap((at) => ownLink(at, target)),
    ].map((line) => `  ${line}`),
    ...inner.map((line) => `  ${line}`),
    '}',
    '',
  ]
  return { text: text.join('\n'), file: '/etc/caddy/Caddyfile' }
}

/** Writes the configuration of a proxy with the values of this service. */
export const proxySnippet = (server: 'nginx' | 'caddy', values: SnippetValues): Snippet =>
  server === 'nginx' ? nginx(values) : caddy(values)
