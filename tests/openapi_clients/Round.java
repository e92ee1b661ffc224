// The whole round by the client that openapi-generator makes of the document for Java, as the package
// v4: its library `native`, which needs Jackson.
//
//     java Round BASE_URL LOGIN:PASSWORD

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import v4.ApiClient;
import v4.ApiException;
import v4.api.SystemApi;
import v4.api.TaskEventsApi;
import v4.api.TasksApi;
import v4.api.UserApiKeysApi;
import v4.api.WebhookUrlsApi;
import v4.api.WebhooksApi;
import v4.model.KeyReceipt;
import v4.model.Receipt;
import v4.model.TaskEventsCreate;
import v4.model.TaskEventsCreateTask;
import v4.model.TasksCreate;
import v4.model.TasksUpdate;
import v4.model.TasksUpdateRequest;
import v4.model.UserApiKeys;
import v4.model.UserApiKeysCreate;
import v4.model.UserApiKeysCreateUser;
import v4.model.UserApiKeysRollRequest;
import v4.model.WebhookUrlsCreate;
import v4.model.WhoAmI;

public final class Round {
    /** Beyond 32 bits: the year 2100. */
    private static final long EXPIRES = 4102444800L;

    private static final List<String> RECEIVED = Collections.synchronizedList(new java.util.ArrayList<>());

    interface Call {
        Object call() throws ApiException;
    }

    interface Condition {
        boolean holds() throws ApiException;
    }

    private static void check(boolean holds, Object what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static String refused(int status, Call call) {
        try {
            throw new AssertionError("not refused: " + call.call());
        } catch (ApiException error) {
            check(error.getCode() == status, error);
            return error.getResponseBody();
        }
    }

    /** Until it holds; a minute at most. */
    private static void waitFor(Condition condition) throws Exception {
        for (int tries = 0; tries < 1200; tries++) {
            if (condition.holds()) {
                return;
            }
            Thread.sleep(50);
        }
        throw new AssertionError("waited in vain; received " + RECEIVED);
    }

    private static ApiClient by(String base, String authorization) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(base + "/api/v4");
        client.setRequestInterceptor(request -> request.header("Authorization", authorization));
        return client;
    }

    public static void main(String[] arguments) throws Exception {
        HttpServer receiver = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        receiver.createContext("/", exchange -> {
            RECEIVED.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.start();
        try {
            round(arguments[0], arguments[1], "http://127.0.0.1:" + receiver.getAddress().getPort() + "/");
        } finally {
            receiver.stop(0);
        }
        System.out.println("openapi-generator for Java: all as it should be");
    }

    private static void round(String base, String login, String url) throws Exception {
        String basic = Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
        ApiClient byLogin = by(base, "Basic " + basic);
        KeyReceipt made = new UserApiKeysApi(byLogin).userApiKeysCreate(new UserApiKeysCreate()
            .user(new UserApiKeysCreateUser(1L))
            .name("generated")
            .expiresType(UserApiKeysCreate.ExpiresTypeEnum.DATE)
            .expires(EXPIRES));
        String token = made.getKey();
        check(token.equals(made.getResponse().getToken()) && token.equals(made.getResponse().getPrivateKey()), "shown once");
        ApiClient first = by(base, "Bearer " + token);
        WhoAmI me = new SystemApi(first).whoami();
        check(me.getKey().equals(made.get$Row()) && me.getExpires() == EXPIRES, me);
        List<UserApiKeys> rows = new UserApiKeysApi(first).userApiKeysList("all", "name eq 'generated'", null, null, null);
        check(rows.size() == 1 && rows.get(0).get$Key().equals(made.get$Row()) && rows.get(0).getExpires() == EXPIRES, rows);
        check(!rows.toString().contains(token), "shown twice");
        KeyReceipt rolled = new UserApiKeysApi(first).userApiKeysRoll(made.get$Row(), new UserApiKeysRollRequest().overlap(0));
        check(!rolled.getKey().equals(token) && !rolled.get$Row().equals(made.get$Row()), "rolled");
        refused(401, () -> new SystemApi(first).whoami());
        ApiClient api = by(base, "Bearer " + rolled.getKey());

        WebhookUrlsApi webhooks = new WebhookUrlsApi(api);
        TasksApi tasks = new TasksApi(api);
        TaskEventsApi events = new TaskEventsApi(api);
        Receipt hook = webhooks.webhookUrlsCreate(new WebhookUrlsCreate().name("generated").url(url));
        check(hook.get$Key().equals(String.valueOf(hook.get$Row())), hook);
        check(webhooks.webhookUrlsRead(hook.get$Row(), null).getName().equals("generated"), "read");
        Receipt task = tasks.tasksCreate(new TasksCreate()
            .name("tell")
            .owner("webhook_urls/" + hook.get$Row())
            .settingsArgs(Map.of("message", "${NAME} ${REASON}")));
        TasksUpdateRequest edit = new TasksUpdateRequest(new TasksUpdate().name("told"));
        check(tasks.tasksUpdate(task.get$Row(), null, edit).getName().equals("told"), "edited");
        Receipt event = events.taskEventsCreate(new TaskEventsCreate()
            .task(new TaskEventsCreateTask(task.get$Row()))
            .table("vms")
            .event("poweron")
            .owner("vms/1")
            .eventName("Web is on"));
        var listed = events.taskEventsList(null, "task eq " + task.get$Row(), null, null, null);
        check(listed.size() == 1 && listed.get(0).getEventName().equals("Web is on"), listed);

        tasks.tasksExecute(task.get$Row(), Map.of("REASON", "generated"));
        events.taskEventsTrigger(event.get$Row(), null);
        waitFor(() -> RECEIVED.size() == 2);
        List<String> bodies = RECEIVED.stream().sorted().collect(Collectors.toList());
        check(bodies.equals(List.of(" generated", "web-1 ${REASON}")), bodies);
        String sent = "webhook_url eq " + hook.get$Row() + " and status eq 'sent'";
        waitFor(() -> new WebhooksApi(api).webhooksList(null, sent, null, null, null).size() == 2);
        tasks.tasksCancel(task.get$Row(), null);
        check(refused(409, () -> { webhooks.webhookUrlsDelete(hook.get$Row()); return null; }).contains("told"), "names the task");
        refused(404, () -> tasks.tasksRead(99L, null));
        new UserApiKeysApi(api).userApiKeysDelete(rolled.get$Row());
        refused(401, () -> new SystemApi(api).whoami());
    }
}
