import { expect, it } from 'vitest'
import { proxySnippet } from './snippet.ts'

const target = '127.0.0.1:8711'

it('a snippet has the values of the service', () => {
  const certificate = { certificateFile: '/a "b"/chain.pem', keyFile: '/a/key.pem' }
  const { text } = proxySnippet('nginx', { publicUrl: 'https://live.example.com:8443/tv', target, certificate })
  for (const line of [
    'listen 8443 ssl;',
    'server_name live.example.com;',
    'ssl_certificate "/a \\"b\\"/chain.pem";',
    'location /tv/live/ {',
    'proxy_pass http://127.0.0.1:8711/live/;',
    'proxy_buffering off;',
    'location = /tv/link {',
    'proxy_set_header X-Forwarded-For $remote_addr;',
    // Who asks does not choose the id under which the log has it.
    'proxy_set_header X-Request-Id $request_id;',
  ])
    expect(text).toContain(line)
  const caddy = proxySnippet('caddy', { publicUrl: 'https://live.example.com/tv', target }).text
  expect(caddy).toContain('https://live.example.com {')
  expect(caddy).toContain('handle_path /tv/* {')
  expect(caddy).not.toContain('tls ')
  expect(caddy).toContain('  request_header X-Request-Id {http.request.uuid}\n')
  expect(text + caddy).not.toContain('nimserver')
})

it('a snippet has signed calls where their address has the same name', () => {
  const values = { publicUrl: 'https://live.example.com', target }
  const api = { publicApi: 'https://live.example.com/calls', target: '127.0.0.1:8710' }
  const { text } = proxySnippet('nginx', { ...values, api })
  for (const first of ['app', 'nimserver', 'local'])
    expect(text).toContain(`location /calls/${first}/ {\n    proxy_pass http://127.0.0.1:8710/${first}/;`)
  expect(proxySnippet('caddy', { ...values, api }).text).toContain(
    [
      '  @api path /calls/app/* /calls/nimserver/* /calls/local/*',
      '  handle @api {',
      '    uri strip_prefix /calls',
      '    reverse_proxy 127.0.0.1:8710 {',
    ].join('\n'),
  )
})
