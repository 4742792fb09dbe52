# An MCP server over standard streams. Its tool tells what of a C library is in the image, and what it was started with.
while read -r line; do
  id=$(printf '%s' "$line" | busybox sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *'"method":"initialize"'*)
      version=$(printf '%s' "$line" | busybox sed -n 's/.*"protocolVersion":"\([^"]*\)".*/\1/p')
      result='{"protocolVersion":"'$version'","capabilities":{"tools":{}},"serverInfo":{"name":"static","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      found=$(busybox find / \( -path /lintel-bridge -o -path /proc -o -path /dev \) -prune -o \( -name 'ld*.so*' -o -name 'libc*.so*' \) -print 2>/dev/null)
      result='{"content":[{"type":"text","text":"libraries: '$found'; started with: '$*'; user: '$(busybox id -u)'"}]}' ;;
    *) result='{}' ;;
  esac
  if [ -n "$id" ]; then printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"; fi
done
