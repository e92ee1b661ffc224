// The whole round by the client that openapi-generator makes of the document for Go, as the package
// v4 of this module. It needs the standard library alone.
//
//	round BASE_URL LOGIN:PASSWORD
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"sort"
	"strings"
	"sync"
	"time"

	"round/v4"
)

// Beyond 32 bits: the year 2100.
const expires = 4102444800

var (
	lock     sync.Mutex
	received []string
)

func receive(response http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	lock.Lock()
	defer lock.Unlock()
	received = append(received, string(body))
	response.WriteHeader(http.StatusOK)
}

func bodies() []string {
	lock.Lock()
	defer lock.Unlock()
	sorted := append([]string{}, received...)
	sort.Strings(sorted)
	return sorted
}

func check(holds bool, what ...any) {
	if !holds {
		log.Panicln(what...)
	}
}

// done returns what a call gave; one that was refused ends the round.
func done[T any](value T, response *http.Response, err error) T {
	if err != nil && response != nil {
		body, _ := io.ReadAll(response.Body)
		log.Panicln(err, string(body))
	}
	check(err == nil, err)
	return value
}

func refused(status int, response *http.Response, err error) string {
	check(err != nil && response != nil && response.StatusCode == status, "not refused by", status, response, err)
	body, _ := io.ReadAll(response.Body)
	return string(body)
}

// Until it holds; a minute at most.
func waitFor(holds func() bool) {
	for tries := 0; tries < 1200; tries++ {
		if holds() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	log.Panicln("waited in vain; received", bodies())
}

func withKey(key string) context.Context {
	return context.WithValue(context.Background(), v4.ContextAccessToken, key)
}

func main() {
	base := os.Args[1]
	user, password, _ := strings.Cut(os.Args[2], ":")
	receiver := httptest.NewServer(http.HandlerFunc(receive))
	defer receiver.Close()
	settings := v4.NewConfiguration()
	settings.Servers = v4.ServerConfigurations{{URL: base + "/api/v4"}}
	api := v4.NewAPIClient(settings)

	byLogin := context.WithValue(context.Background(), v4.ContextBasicAuth, v4.BasicAuth{UserName: user, Password: password})
	one := int64(1)
	newKey := v4.NewUserApiKeysCreateWithDefaults()
	newKey.SetUser(v4.UserApiKeysCreateUser{Int64: &one})
	newKey.SetName("generated")
	newKey.SetExpiresType("date")
	newKey.SetExpires(expires)
	made := done(api.UserApiKeysAPI.UserApiKeysCreate(byLogin).UserApiKeysCreate(*newKey).Execute())
	check(made.Key != "" && made.Key == made.Response.Token && made.Key == made.Response.PrivateKey, "shown once")
	key := withKey(made.Key)
	me := done(api.SystemAPI.Whoami(key).Execute())
	check(me.GetKey() == made.Row && me.GetExpires() == expires, me)
	keys := done(api.UserApiKeysAPI.UserApiKeysList(key).Filter("name eq 'generated'").Fields("all").Execute())
	check(len(keys) == 1 && keys[0].GetKey() == made.Row && keys[0].GetExpires() == expires, keys)
	row, _ := keys[0].MarshalJSON()
	check(!strings.Contains(string(row), made.Key), "shown twice")
	overlap := v4.NewUserApiKeysRollRequest()
	overlap.SetOverlap(0)
	rolled := done(api.UserApiKeysAPI.UserApiKeysRoll(key, made.Row).UserApiKeysRollRequest(*overlap).Execute())
	check(rolled.Key != made.Key && rolled.Row != made.Row, "rolled")
	_, response, err := api.SystemAPI.Whoami(key).Execute()
	refused(http.StatusUnauthorized, response, err)
	key = withKey(rolled.Key)

	newHook := v4.NewWebhookUrlsCreateWithDefaults()
	newHook.SetName("generated")
	newHook.SetUrl(receiver.URL)
	hook := done(api.WebhookUrlsAPI.WebhookUrlsCreate(key).WebhookUrlsCreate(*newHook).Execute())
	check(hook.Key == fmt.Sprint(hook.Row), hook)
	check(*done(api.WebhookUrlsAPI.WebhookUrlsRead(key, hook.Row).Execute()).Name == "generated", "read")
	owner := fmt.Sprintf("webhook_urls/%d", hook.Row)
	newTask := v4.NewTasksCreateWithDefaults()
	newTask.SetName("tell")
	newTask.SetOwner(owner)
	newTask.SetSettingsArgs(map[string]interface{}{"message": "${NAME} ${REASON}"})
	task := done(api.TasksAPI.TasksCreate(key).TasksCreate(*newTask).Execute())
	edit := v4.NewTasksUpdate()
	edit.SetName("told")
	edited := v4.TasksUpdateRequest{TasksUpdate: edit}
	check(*done(api.TasksAPI.TasksUpdate(key, task.Row).TasksUpdateRequest(edited).Execute()).Name == "told", "edited")
	newEvent := v4.NewTaskEventsCreateWithDefaults()
	newEvent.SetTask(v4.TaskEventsCreateTask{Int64: &task.Row})
	newEvent.SetTable("vms")
	newEvent.SetEvent("poweron")
	newEvent.SetOwner("vms/1")
	newEvent.SetEventName("Web is on")
	event := done(api.TaskEventsAPI.TaskEventsCreate(key).TaskEventsCreate(*newEvent).Execute())
	events := done(api.TaskEventsAPI.TaskEventsList(key).Filter(fmt.Sprintf("task eq %d", task.Row)).Execute())
	check(len(events) == 1 && events[0].GetEventName() == "Web is on", events)

	var reason interface{} = "generated"
	done(api.TasksAPI.TasksExecute(key, task.Row).RequestBody(map[string]*interface{}{"REASON": &reason}).Execute())
	done(api.TaskEventsAPI.TaskEventsTrigger(key, event.Row).Execute())
	waitFor(func() bool { return len(bodies()) == 2 })
	check(strings.Join(bodies(), "|") == " generated|web-1 ${REASON}", bodies())
	sent := fmt.Sprintf("webhook_url eq %d and status eq 'sent'", hook.Row)
	waitFor(func() bool { return len(done(api.WebhooksAPI.WebhooksList(key).Filter(sent).Execute())) == 2 })
	done(api.TasksAPI.TasksCancel(key, task.Row).Execute())
	response, err = api.WebhookUrlsAPI.WebhookUrlsDelete(key, hook.Row).Execute()
	check(strings.Contains(refused(http.StatusConflict, response, err), "told"), "names the task")
	_, response, err = api.TasksAPI.TasksRead(key, 99).Execute()
	refused(http.StatusNotFound, response, err)
	response, err = api.UserApiKeysAPI.UserApiKeysDelete(key, rolled.Row).Execute()
	check(err == nil && response.StatusCode < 300, err)
	_, response, err = api.SystemAPI.Whoami(key).Execute()
	refused(http.StatusUnauthorized, response, err)
	fmt.Println("openapi-generator for Go: all as it should be")
}
